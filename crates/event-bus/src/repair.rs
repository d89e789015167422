//! Repairs a damaged log from the frames that journal and index still hold. A repair is planned first, then executed.

mod execute;
mod plan;

use std::{fmt, path::PathBuf, sync::Arc};

use event_core::Position;

use crate::{files::File, files::Files, index::Index, lock::LogLock};

pub use execute::RepairOutcome;
pub use plan::{plan_repair, plan_repair_with};

/// The kind of the event that replaces a lost one, so that all other events keep their positions.
pub const LOST_KIND: &str = "log.lost";

/// The name of the complete new journal before it replaces the damaged one.
const REPAIRED_JOURNAL: &str = "journal.repaired";

/// The changes that a repair would make, returned by [`plan_repair`] and made by [`RepairPlan::execute`]. Holds the
/// lock of the log.
#[derive(Debug)]
pub struct RepairPlan {
    root: PathBuf,
    files: Arc<dyn Files>,
    #[expect(dead_code, reason = "held as long as the plan exists")]
    lock: LogLock,
    /// The journal to read; `None` if it is missing.
    journal: Option<JournalSource>,
    /// The index to read; `None` if it is missing or damaged.
    index: Option<Index>,
    /// Where the frame of each position from 1 on comes from.
    sources: Vec<FrameSource>,
    /// Descriptions of the damage; empty if no repair is needed.
    faults: Vec<String>,
    /// The number of events kept from the journal.
    pub kept: u64,
    /// Events restored from the index.
    pub restored: Vec<PositionRange>,
    /// Events that neither journal nor index has. Each is replaced by a `log.lost` event.
    pub lost: Vec<PositionRange>,
    /// Events whose hash chain value cannot be verified, because the previous event was lost or changed.
    pub unverified: Vec<PositionRange>,
}

/// The journal to read: the damaged one, or the new one of an interrupted repair.
#[derive(Debug)]
struct JournalSource {
    path: PathBuf,
    file: Arc<dyn File>,
}

/// An inclusive range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionRange {
    /// The first position.
    pub first: Position,
    /// The last position.
    pub last: Position,
}

/// The source of the frame for a position of the new journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameSource {
    /// The old journal, at an offset and with a length, both in bytes.
    Journal { offset: u64, length: usize },
    /// The index, under the same position.
    Index,
    /// None; the frame of a `log.lost` event is created.
    Lost,
}

impl RepairPlan {
    /// Whether a repair is needed. Damage that opening the log repairs by itself does not count.
    pub fn is_needed(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Descriptions of the damage, for the user; empty if no repair is needed.
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

/// Writes one line of the plan: an action, the number of events and their positions. Writes nothing if there are no
/// events.
fn write_action(f: &mut fmt::Formatter<'_>, action: &str, ranges: &[PositionRange]) -> fmt::Result {
    /// The maximum number of ranges that are written.
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

/// Adds a position to ascending ranges: extends the last range if the position follows it, and starts a new range
/// otherwise.
fn add_position(ranges: &mut Vec<PositionRange>, position: Position) {
    match ranges.last_mut() {
        Some(range) if range.last.next() == position => range.last = position,
        _ => ranges.push(PositionRange { first: position, last: position }),
    }
}
