//! Tests of the cost totals (worked examples of 004 §5.4 and §6.7, and properties of all events in any order) and of
//! the simulated prompt cache.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod examples;
mod log;
mod prompt_cache;
mod properties;
