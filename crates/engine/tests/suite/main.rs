//! The engine as its skins use it: whole turns on a log in memory, and what the log then says.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

mod availability;
mod costs;
mod hard_failure;
mod hot_reload;
mod suggestions;
mod turn_lock;
