//! Facts about the log itself.

use event_core::Position;
use serde::{Deserialize, Serialize};

use super::fact;

/// What was done to a damaged log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairAction {
    /// Bytes after the last whole record were cut: a write that was never acknowledged.
    TailCut,
    /// The note of where the log ends was missing or damaged and was written anew.
    HeadRewritten,
    /// The index ended before the journal and was brought up to it.
    IndexExtended,
    /// The index was missing, damaged or of another log, and was built anew from the journal.
    IndexRebuilt,
    /// Damaged records of the journal were restored from the index.
    JournalRestored,
}

/// The log was found damaged and repaired when it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRepaired {
    /// What was done.
    pub action: RepairAction,
    /// The first position concerned.
    pub position: Position,
    /// How much, in words and numbers.
    pub detail: String,
}

fact!(
    LogRepaired,
    "log.repaired",
    1,
    Public,
    "The log was found damaged and repaired when it was opened.",
    LogRepaired {
        action: RepairAction::TailCut,
        position: Position(1_204),
        detail: "17 bytes after position 1204 were not a whole record".to_owned(),
    }
);
