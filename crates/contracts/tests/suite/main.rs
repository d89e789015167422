//! Tests of the shared types: exact numbers, validated names, and round trips of events.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod events;
mod golden_bytes;
mod layout;
mod names;
mod numbers;
mod outages;
mod registry;
mod requirements;
mod samples;
