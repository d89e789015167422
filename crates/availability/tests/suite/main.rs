//! Tests of the availability projection: each condition of 004 §4.5 at its boundary, probes, transitions, the table for
//! users, and properties compared with a naive reference.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod probes;
mod properties;
mod reference;
mod status;
mod story;
mod transitions;
mod triggers;
