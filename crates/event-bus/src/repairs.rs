//! [`Repair`], the description of a repair that was made automatically when a log was opened.

use std::fmt;

use event_core::Position;

/// The kind of an automatic repair of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairAction {
    /// The journal was truncated after the last complete batch. The removed bytes were never acknowledged.
    TailCut,
    /// The `HEAD` file was missing or damaged, and was rewritten from the journal.
    HeadRewritten,
    /// The index ended before the journal, and was extended from it.
    IndexExtended,
    /// The index was missing, empty, damaged or of another log, and was rebuilt from the journal.
    IndexRebuilt,
}

/// A repair that was made automatically when a log was opened. It never removes an acknowledged event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Kind of the repair.
    pub action: RepairAction,
    /// First affected position.
    pub position: Position,
    /// Extent and cause of the repair, for the user.
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
