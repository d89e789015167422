//! The projection folded by hand, and following a bus.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod by_hand;
mod log;
mod on_a_bus;
