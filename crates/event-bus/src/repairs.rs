//! What opening a log found, and did about it.

use std::fmt;

use event_core::Position;

/// What was done to a log when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairAction {
    /// Bytes after the last whole batch were cut: a write that was never acknowledged.
    TailCut,
    /// The `HEAD` file was missing or damaged and was written anew.
    HeadRewritten,
    /// The index ended before the journal and was brought up to it.
    IndexExtended,
    /// The index was missing, damaged or of another log, and was built anew from the journal.
    IndexRebuilt,
}

/// One repair. Nothing acknowledged was lost by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// What was done.
    pub action: RepairAction,
    /// The first position concerned.
    pub position: Position,
    /// How much and why, in words and numbers.
    pub detail: String,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = match self.action {
            RepairAction::TailCut => "tail cut",
            RepairAction::HeadRewritten => "head rewritten",
            RepairAction::IndexExtended => "index extended",
            RepairAction::IndexRebuilt => "index rebuilt",
        };
        write!(f, "{action} from position {}: {}", self.position, self.detail)
    }
}
