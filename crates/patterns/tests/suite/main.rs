//! Features, learning from events, and recommendations.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod allocations;
mod calibrated;
mod embedded;
mod features;
mod fixtures;
mod learning;
mod naive_intents;
mod naive_sketch;
mod properties;
mod recommendation;
mod reference;
mod similarity;
mod sketch;
