//! Tests of decisions: the chain according to 004 sections 4, 5 and 9.2, loading of policies, a second decision kind,
//! and properties of random policies and turns.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod chain;
mod loader;
mod random;
mod second_kind;
mod select_api;
mod support;
mod worked_examples;
