//! Tests of the envelope: the codec, layout versions, and the positions of projections.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod codec;
mod events;
mod ids;
mod projections;
mod versions;
