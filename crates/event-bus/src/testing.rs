//! Support for tests: the contract of [`EventLog`](crate::EventLog) for other implementations, and a log with hooks for
//! tests of code that uses a log, and events to append.

mod contract;
mod events;
mod hooked_log;

pub use contract::check_contract;
pub use events::{new_event, new_events};
pub use hooked_log::{HookedLog, LogHooks};
