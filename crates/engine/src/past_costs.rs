//! The costs of calls up to a time in the past (decision D40).

use contracts::Event;
use costs::SpendingLedger;
use event_bus::projection_set;

projection_set! {
    /// The costs of calls by time. Decisions about imported turns read them, since the log may have calls that ended
    /// after such a turn began. Built only while turns are imported, so they are no part of the engine's state and have
    /// no checkpoint.
    pub(crate) struct PastState folds Event {
        /// The cost of every call by the time at which it ended.
        pub(crate) costs: SpendingLedger,
    }
}
