//! The event log, and the bus that runs on it: one writer thread with group commit, subscriptions, views and reactors.
//!
//! An [`EventLog`] stores events: [`SledLog`] on disk, [`MemoryLog`] for tests and demos, [`JournalReader`] for reading
//! beside a process that writes. Texts too long for an event are stored beside the log in a [`TextStore`]. A [`Bus`]
//! owns the thread that writes to the log; [`View`]s and [`Reactor`]s follow it in tasks. [`fold()`] and [`fold_all`]
//! fold projections without a bus. [`verify()`] checks the files of a log, and [`plan_repair`] restores a damaged one.

mod bus;
mod chain;
mod clock;
pub mod files;
mod fold;
mod follow;
mod frame;
mod group;
mod head;
mod id_hasher;
mod ids;
mod index;
mod journal;
mod lock;
mod log;
mod log_error;
mod memory;
mod projection_set;
mod reader;
mod repair;
mod repairs;
mod sled_log;
mod sync;
#[cfg(feature = "testing")]
pub mod testing;
mod texts;
mod verify;

pub use bus::{Appender, Bus, BusError, Delivery, DurabilityHandle, Reactor, RetryAfter, State, Subscription, View};
pub use chain::{Chain, ParseChainError};
pub use clock::{Clock, ManualClock, SystemClock};
pub use fold::{fold, named_checkpoint, save};
pub use follow::LogFollower;
pub use log::{Appended, EventLog, Expected, MAX_BATCH_BYTES, MAX_BATCH_EVENTS};
pub use log_error::LogError;
pub use memory::MemoryLog;
pub use projection_set::{ProjectionSet, advance_all, fold_all, resume_all, save_all};
pub use reader::JournalReader;
pub use repair::{LOST_KIND, PositionRange, RepairOutcome, RepairPlan, plan_repair, plan_repair_with};
pub use repairs::{Repair, RepairAction};
pub use sled_log::{PurgeOutcome, SledLog};
pub use texts::{MAX_TEXT_BYTES, MemoryTexts, TextFiles, TextStore};
pub use verify::{Finding, Verification, verify};
