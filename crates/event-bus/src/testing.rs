//! Support for tests of code that uses a log, and of other implementations of [`EventLog`](crate::EventLog).

mod contract;
mod hooked_log;

pub use contract::check_contract;
pub use hooked_log::{HookedLog, LogHooks};
