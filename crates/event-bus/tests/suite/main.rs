//! The log, in memory and on disk, and the bus.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "`cargo xtask reliability` writes the printed counts to docs/reliability.md")]

mod ahead;
mod bus;
mod contract;
mod crash_images;
mod damage;
mod damaged;
mod faults;
mod format;
mod model;
mod purge;
mod repair;
mod support;
mod texts;
mod torn_writes;
