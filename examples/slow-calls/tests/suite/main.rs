//! Tests of the projection: folded from constructed events, and following a bus.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod events;
mod folding;
mod on_a_bus;
