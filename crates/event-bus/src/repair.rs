//! Repairs a damaged log from the frames that journal and index still hold: plans first, then executes the plan.

mod execute;
mod plan;

use std::{fmt, path::PathBuf, sync::Arc};

use event_core::Position;

use crate::{files::File, files::Files, index::Index, lock::Lock};

pub use execute::RepairOutcome;
pub use plan::{plan_repair, plan_repair_with};

/// The kind of the event that replaces a lost one, so that all other events keep their positions.
pub const LOST_KIND: &str = "log.lost";

/// The name of the complete new journal before it replaces the damaged one.
const REPAIRED: &str = "journal.repaired";

/// The changes that a repair would make. Holds the lock of the log. Planning completes an interrupted purge and changes
/// nothing else; [`RepairPlan::execute`] makes the changes.
#[derive(Debug)]
pub struct RepairPlan {
    /// The log's directory.
    root: PathBuf,
    /// File system of the log.
    files: Arc<dyn Files>,
    /// Lock of the log.
    #[expect(dead_code, reason = "held as long as the plan exists")]
    lock: Lock,
    /// Journal to read; `None` if it is missing.
    journal: Option<Source>,
    /// Index to read; `None` if it is missing or damaged.
    index: Option<Index>,
    /// Source of each position, from 1.
    pieces: Vec<Piece>,
    /// Descriptions of the damage.
    faults: Vec<String>,
    /// The number of events kept from the journal.
    pub kept: u64,
    /// Events restored from the index.
    pub restored: Vec<PositionRange>,
    /// Events that neither copy has. Each is replaced by a `log.lost` event.
    pub lost: Vec<PositionRange>,
    /// Events whose link of the hash chain cannot be verified, because the previous event was lost or changed.
    pub unverified: Vec<PositionRange>,
}

/// The journal to read: the damaged one, or the new one of an interrupted repair.
#[derive(Debug)]
struct Source {
    /// Path of the journal.
    path: PathBuf,
    /// The journal.
    file: Arc<dyn File>,
}

/// An inclusive range of positions, as listed in a repair plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionRange {
    /// The first position.
    pub first: Position,
    /// The last position.
    pub last: Position,
}

/// Source of the frame for one position of the repaired journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// The frame at this offset of the journal.
    Journal { offset: u64, length: usize },
    /// The frame in the index.
    Index,
    /// No valid frame exists.
    Lost,
}

impl RepairPlan {
    /// Returns whether a repair is needed. Damage that is repaired when the log is opened does not count.
    pub fn is_needed(&self) -> bool {
        !self.faults.is_empty()
    }

    /// Returns descriptions of the damage.
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
        line(f, "take from the index", &self.restored)?;
        line(f, "mark as lost (neither copy has them)", &self.lost)?;
        line(f, "keep, although their place in the hash chain cannot be proved", &self.unverified)?;
        writeln!(f, "  write a new journal and `HEAD`, keep the old files as `*.damaged-N`, build the index again")
    }
}

/// Prints one line of the plan: an action, the number of events and their spans.
fn line(f: &mut fmt::Formatter<'_>, what: &str, spans: &[PositionRange]) -> fmt::Result {
    /// The maximum number of spans that are printed.
    const SHOWN: usize = 20;
    if spans.is_empty() {
        return Ok(());
    }
    let events: u64 = spans.iter().map(|span| span.last.0 - span.first.0 + 1).sum();
    write!(f, "  {what}: {events} events at ")?;
    for (index, span) in spans.iter().take(SHOWN).enumerate() {
        write!(f, "{}{span}", if index == 0 { "" } else { ", " })?;
    }
    writeln!(f, "{}", if SHOWN < spans.len() { ", …" } else { "" })
}

/// Extends the last span by a position that follows it, or starts a new span.
fn extend(spans: &mut Vec<PositionRange>, position: Position) {
    match spans.last_mut() {
        Some(span) if span.last.next() == position => span.last = position,
        _ => spans.push(PositionRange { first: position, last: position }),
    }
}
