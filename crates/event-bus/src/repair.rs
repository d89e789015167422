//! Putting a damaged log together again from what both copies still have: first the plan, then the act.

mod execute;
mod plan;

use std::{fmt, path::PathBuf, sync::Arc};

use event_core::Position;

use crate::{files::File, files::Files, index::Index, lock::Lock};

pub use execute::Repaired;
pub use plan::{plan_repair, plan_repair_with};

/// The kind of the event that stands where one was lost, so that all others keep their places.
pub const LOST_KIND: &str = "log.lost";

/// The new journal, complete, on its way to its place.
const REPAIRED: &str = "journal.repaired";

/// What a repair would do. The log is locked as long as the plan lives; no event is changed before
/// [`RepairPlan::execute`]; a purge that was interrupted is carried on.
#[derive(Debug)]
pub struct RepairPlan {
    root: PathBuf,
    files: Arc<dyn Files>,
    #[expect(dead_code, reason = "held while there is a plan")]
    lock: Lock,
    journal: Option<Source>,
    index: Option<Index>,
    pieces: Vec<Piece>,
    faults: Vec<String>,
    /// Events that stay as they are in the journal.
    pub kept: u64,
    /// Events taken from the index.
    pub restored: Vec<Span>,
    /// Events that neither copy has. A `log.lost` event takes the place of each.
    pub lost: Vec<Span>,
    /// Events whose place in the hash chain cannot be proved, because the one before was lost or changed.
    pub unproved: Vec<Span>,
}

/// The journal, or what an interrupted repair left of it.
#[derive(Debug)]
struct Source {
    path: PathBuf,
    file: Arc<dyn File>,
}

/// Positions from the first to the last, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first position.
    pub first: Position,
    /// The last position.
    pub last: Position,
}

/// Where the frame of a position comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Journal { offset: u64, length: usize },
    Index,
    Lost,
}

impl RepairPlan {
    /// Whether there is anything to repair. Opening the log puts right what is not counted here.
    pub fn is_needed(&self) -> bool {
        !self.faults.is_empty()
    }

    /// What is wrong, in words.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }
}

impl fmt::Display for Span {
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
        line(f, "keep, although their place in the hash chain cannot be proved", &self.unproved)?;
        writeln!(f, "  write a new journal and `HEAD`, keep the old files as `*.damaged-N`, build the index again")
    }
}

fn line(f: &mut fmt::Formatter<'_>, what: &str, spans: &[Span]) -> fmt::Result {
    /// More than this many are of no use on a screen.
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

/// Adds a position to the last span, or begins a new one.
fn extend(spans: &mut Vec<Span>, position: Position) {
    match spans.last_mut() {
        Some(span) if span.last.next() == position => span.last = position,
        _ => spans.push(Span { first: position, last: position }),
    }
}
