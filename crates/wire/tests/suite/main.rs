//! Tests of inspection, editing and conversion over the public interface of the crate.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod agreement;
mod auxiliary_calls;
mod bodies;
mod clients;
mod convert;
mod properties;
mod required;
mod requirements;
mod turns;
