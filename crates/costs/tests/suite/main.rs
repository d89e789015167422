//! Totals: worked examples of 004 §5.4 and §6.7, and what holds for all events in any order. The simulated prompt cache.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod examples;
mod log;
mod prompt_cache;
mod properties;
