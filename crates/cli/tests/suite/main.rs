//! The program as a user runs it: a fresh home, real processes, what they print and how they end.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod desk;
mod feedback;
mod first_steps;
mod learning;
mod logs;
mod policies;
mod sessions;
mod what_if;
