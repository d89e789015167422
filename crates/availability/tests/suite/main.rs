//! Availability compared with 004 §4.5, row by row, and with a naive reference.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod probes;
mod properties;
mod reference;
mod status;
mod story;
mod transitions;
mod triggers;
