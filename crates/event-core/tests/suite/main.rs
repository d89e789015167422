//! The envelope: bytes that are bounded and exact, versions that are read or refused, projections that keep their place.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod codec;
mod events;
mod ids;
mod projections;
mod versions;
