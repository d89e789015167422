//! The log and what runs on it: one writer with group commit, subscriptions, views, reactors.
//!
//! An [`EventLog`] keeps facts: [`MemoryLog`] for tests and demos. A [`Bus`] puts one writer thread in front of it
//! and lets [`View`]s and [`Reactor`]s follow. [`fold`] gives a projection's state without a bus.

mod bus;
mod clock;
mod fold;
mod frame;
mod group;
mod log;
mod log_error;
mod memory;

pub use bus::{Bus, BusError, Delivery, Reactor, Subscription, View};
pub use clock::{Clock, SetClock, SystemClock};
pub use fold::{fold, save};
pub use log::{Appended, EventLog, Expected, MAX_BATCH_BYTES, MAX_BATCH_EVENTS};
pub use log_error::LogError;
pub use memory::MemoryLog;
