//! Repairs a damaged log from the valid frames of its journal and its index. A repair is planned first
//! ([`plan_repair`]), then executed ([`RepairPlan::execute`]).

mod execute;
mod plan;

use std::{fmt, path::PathBuf, sync::Arc};

use event_core::Position;

use crate::{files::File, files::Files, index::Index, lock::LogLock};

pub use execute::RepairOutcome;
pub use plan::{plan_repair, plan_repair_with};

/// Kind of the event that replaces a lost one, so that all other events keep their positions.
pub const LOST_KIND: &str = "log.lost";

/// Name of the complete new journal until it replaces the damaged one.
const REPAIRED_JOURNAL: &str = "journal.repaired";

/// The changes that the repair of a damaged event log would make, returned by [`plan_repair`] and made by
/// [`RepairPlan::execute`]. Holds the lock of the log. `Display` prints the plan for the user.
#[derive(Debug)]
pub struct RepairPlan {
    /// Directory of the log.
    root: PathBuf,
    /// File system of the log.
    files: Arc<dyn Files>,
    /// Lock of the log.
    #[expect(dead_code, reason = "held as long as the plan exists")]
    lock: LogLock,
    /// Journal to read; `None` if it is missing.
    journal: Option<JournalSource>,
    /// Index to read; `None` if it is missing or damaged.
    index: Option<Index>,
    /// Source of the frame of each position, from position 1; empty if no repair is needed.
    sources: Vec<FrameSource>,
    /// Descriptions of the damage; empty if no repair is needed.
    faults: Vec<String>,
    /// Number of events whose frames are copied from the journal.
    pub kept: u64,
    /// Positions of events that are restored from the index.
    pub restored: Vec<PositionRange>,
    /// Positions of events that neither journal nor index has. Each is replaced by a `log.lost` event.
    pub lost: Vec<PositionRange>,
    /// Positions of events whose hash chain value cannot be verified, because the previous event was lost or changed.
    /// They are copied or restored nevertheless.
    pub unverified: Vec<PositionRange>,
}

/// The journal that a repair reads: the damaged one, or the new one of an interrupted repair.
#[derive(Debug)]
struct JournalSource {
    /// Path of the file, for messages.
    path: PathBuf,
    /// The open file.
    file: Arc<dyn File>,
}

/// An inclusive range of positions in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionRange {
    /// First position.
    pub first: Position,
    /// Last position.
    pub last: Position,
}

/// The place from which a repair copies the frame (encoded event) of one position of the new journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameSource {
    /// The old journal, at `offset` and with `length`, both in bytes.
    Journal { offset: u64, length: usize },
    /// The index, under the same position.
    Index,
    /// None; the frame of a `log.lost` event is created.
    Lost,
}

impl RepairPlan {
    /// Returns whether a repair is needed. Damage that is repaired whenever the log is opened does not count.
    pub fn is_needed(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Returns descriptions of the damage, for the user; empty if no repair is needed.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for PositionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last { write!(f, "{}", self.first) } else { write!(f, "{}-{}", self.first, self.last) }
    }
}

impl fmt::Display for RepairPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_needed() {
            return writeln!(f, "the log at `{}` needs no repair", self.root.display());
        }
        writeln!(f, "the log at `{}`:", self.root.display())?;
        self.faults.iter().try_for_each(|fault| writeln!(f, "  found: {fault}"))?;
        writeln!(f, "  keep {} events of the journal as they are", self.kept)?;
        write_action(f, "take from the index", &self.restored)?;
        write_action(f, "mark as lost (neither copy has them)", &self.lost)?;
        write_action(f, "keep, although their place in the hash chain cannot be proved", &self.unverified)?;
        writeln!(f, "  write a new journal and `HEAD`, keep the old files as `*.damaged-N`, build the index again")
    }
}

/// Writes one line of a repair plan: an action, the number of events and their positions. Writes nothing if there are
/// no events.
fn write_action(f: &mut fmt::Formatter<'_>, action: &str, ranges: &[PositionRange]) -> fmt::Result {
    /// Maximum number of ranges that are written; an ellipsis replaces the rest.
    const MAX_SHOWN_RANGES: usize = 20;
    if ranges.is_empty() {
        return Ok(());
    }
    let events: u64 = ranges.iter().map(|range| range.last.0 - range.first.0 + 1).sum();
    write!(f, "  {action}: {events} events at ")?;
    for (index, range) in ranges.iter().take(MAX_SHOWN_RANGES).enumerate() {
        write!(f, "{}{range}", if index == 0 { "" } else { ", " })?;
    }
    writeln!(f, "{}", if MAX_SHOWN_RANGES < ranges.len() { ", …" } else { "" })
}

/// Adds a position to a list of ascending ranges: extends the last range if the position follows it, and otherwise
/// starts a new range.
fn add_position(ranges: &mut Vec<PositionRange>, position: Position) {
    match ranges.last_mut() {
        Some(range) if range.last.next() == position => range.last = position,
        _ => ranges.push(PositionRange { first: position, last: position }),
    }
}
