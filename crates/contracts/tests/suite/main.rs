//! Nouns and events: exact numbers, names that are checked once, and events that come back as they were.
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
