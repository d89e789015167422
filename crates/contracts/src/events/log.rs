//! Events about the log itself.

use event_core::{Position, Timestamp};
use serde::{Deserialize, Serialize};

use super::event;
use crate::SessionId;

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

event!(
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

/// Private text was removed from the log because the user said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPurged {
    /// Events that lost their payload. They stand in their places, with a hash instead.
    pub events: u64,
    /// Texts beside the log that were removed.
    pub texts: u64,
    /// Only what happened before this, if it was said.
    pub before: Option<Timestamp>,
    /// Only this session, if it was said.
    pub session: Option<SessionId>,
}

event!(
    LogPurged,
    "log.purged",
    1,
    Internal,
    "Private text was removed from the log because the user said so.",
    LogPurged { events: 12, texts: 3, before: Some(Timestamp(1_778_250_185_000_000)), session: None }
);
