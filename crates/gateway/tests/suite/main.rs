//! The gateway between clients and a mock provider: decisions, requests, responses and events.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod choice;
mod collector;
mod failures;
mod live_and_imported;
mod passage;
mod safety;
mod shutdown;
mod signatures;
mod spans;
mod support;
mod thinking;
mod traces;
mod turns;
mod views;
