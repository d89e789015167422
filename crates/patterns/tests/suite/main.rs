//! Tests of the public interface: feature extraction, the projection of events, and recommendations.
//!
//! `naive_intents`, `naive_sketch` and `reference` are naive implementations to which results are compared; `fixtures`
//! creates features, samples and events.
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
