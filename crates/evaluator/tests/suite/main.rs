//! What is noticed about turns, the verdicts that follow, and the closed form they follow in.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod events;
mod examples;
mod properties;
mod reference;
mod rubrics;
mod story;
mod tones;
