//! Signals of turns, the verdicts computed from them, and rubrics.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod events;
mod examples;
mod properties;
mod reference;
mod rubrics;
mod story;
mod tones;
