//! The gateway between clients and a mock provider: decisions, requests, responses and events.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod backtest_agrees;
mod bodies;
mod choice;
mod collector;
mod embedding;
mod expensive_matching;
mod failures;
mod faults;
mod live_and_imported;
mod logins;
mod notices;
mod passage;
mod provider_faults;
mod refusals;
mod refused_keys;
mod safety;
mod shielding;
mod shutdown;
mod signatures;
mod skill_activation;
mod skill_question;
mod skill_reports;
mod skill_wish;
mod skills;
mod spans;
#[expect(dead_code, reason = "the tests of other crates use more of it")]
#[path = "../../../adapters/tests/support/stand_in.rs"]
mod stand_in;
mod support;
mod thinking;
mod tls;
mod traces;
mod turns;
mod views;
