//! Tests of the availability projection: each condition of 004 §4.5 at its boundary, probes, transitions, the table for
//! users, and properties compared with a naive reference.
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test may panic and print counts")]

mod probes;
mod properties;
mod reference;
mod script;
mod simulation;
mod status;
mod transitions;
mod triggers;
