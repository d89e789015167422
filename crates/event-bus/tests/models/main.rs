//! The bus under a model checker: its guarantees are met for all interleavings of its threads.
//!
//! `cargo xtask models` runs these tests under loom and shuttle. Otherwise each runs several times on real threads.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may panic, and says how much it tried")]

mod acknowledgements;
mod close;
mod explore;
mod follow;
mod policy_swap;
mod watched_log;

#[path = "../suite/support.rs"]
mod support;
