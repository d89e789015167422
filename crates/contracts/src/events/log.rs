//! Events about the log itself.

use event_core::{Position, Timestamp};
use serde::{Deserialize, Serialize};

use super::event;
use crate::{ContentHash, SessionId};

/// The action by which a damaged log was repaired when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairAction {
    /// Bytes after the last complete record were cut off: a write that was never acknowledged.
    TailCut,
    /// The file `HEAD`, which contains the position of the last event, was missing or damaged and was rewritten.
    HeadRewritten,
    /// The index ended before the journal and was extended to its end.
    IndexExtended,
    /// The index was missing, damaged or belonged to another log, and was rebuilt from the journal.
    IndexRebuilt,
    /// Damaged records of the journal were restored from the index.
    JournalRestored,
}

/// Event: the log was damaged, and was repaired when it was opened. Recorded by the process that opened it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRepaired {
    /// Action taken.
    pub action: RepairAction,
    /// First position that the repair affected.
    pub position: Position,
    /// Description of the repair for the user, with quantities.
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

/// Event: a command panicked. Its caller received an error, and the state was folded from the log again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogCommandPanicked {
    /// BLAKE3 hash of the message of the panic, which may contain private text. Equal faults have equal hashes.
    pub message: ContentHash,
}

event!(
    LogCommandPanicked,
    "log.command_panicked",
    1,
    Public,
    "A command failed by a fault of the program; its caller got an error, and the gateway continued.",
    LogCommandPanicked { message: ContentHash([7; 32]) }
);

/// Event: the user removed private text from the log with `events purge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPurged {
    /// Number of events whose payload was replaced by its hash. The events keep their positions.
    pub events: u64,
    /// Number of texts removed from the text store.
    pub texts: u64,
    /// Only events earlier than this time were purged; `None` for no limit.
    pub before: Option<Timestamp>,
    /// Only events of this session were purged; `None` for all sessions.
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
