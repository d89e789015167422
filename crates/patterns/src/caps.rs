//! How much a workspace's store may hold, and the events by which it makes room.
//!
//! Folding [`PatternEvicted`] is what evicts; whoever records events records those that are due (as with outages), so
//! a store rebuilt from the log has lost the same rows at the same place.

use contracts::events::{EvictionReason, PatternEvicted, PatternFilling};
use event_core::{CodecError, Event, EventId, NewEvent, Position, Timestamp};

use crate::Patterns;

/// From so many rows on a store counts as filling.
pub const SOFT_CAP: u32 = 5_000;

/// The most rows of a store; beyond that it is cut to the soft cap.
pub const HARD_CAP: u32 = 10_000;

/// Rows that have not changed for so long go first: 180 days, in microseconds.
pub const MAX_AGE_MICROS: u64 = 180 * 86_400 * 1_000_000;

/// What a store has to say about its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoomNeeded {
    /// It has passed the soft cap.
    Filling(PatternFilling),
    /// Rows go.
    Evicted(PatternEvicted),
}

impl RoomNeeded {
    /// The event, for a log that stands at a position: the same need at the same place is the same event.
    ///
    /// # Errors
    /// [`CodecError`] for a path too long for an event.
    pub fn seal(&self, at: Timestamp, position: Position) -> Result<NewEvent, CodecError> {
        match self {
            Self::Filling(event) => seal(event, event.workspace.as_deref(), at, position),
            Self::Evicted(event) => seal(event, event.workspace.as_deref(), at, position),
        }
    }
}

fn seal<E: Event>(
    event: &E,
    workspace: Option<&str>,
    at: Timestamp,
    position: Position,
) -> Result<NewEvent, CodecError> {
    let workspace = workspace.unwrap_or_default().as_bytes();
    let correlation = EventId::derive(&[b"patterns", workspace]);
    let id = EventId::derive(&[E::KIND.as_bytes(), workspace, &position.0.to_le_bytes()]);
    NewEvent::new(id, at, correlation, event)
}

impl Patterns {
    /// What has to be recorded so that no store grows beyond its cap. Costs nothing while all are below it.
    pub fn room_needed(&self, now: Timestamp) -> Vec<RoomNeeded> {
        let mut needed = Vec::new();
        for (path, store) in &self.stores {
            let rows = u32::try_from(store.rows()).unwrap_or(u32::MAX);
            let workspace = || Some(path.clone()).filter(|path| !path.is_empty());
            if HARD_CAP < rows {
                let since = Timestamp(now.0.saturating_sub(MAX_AGE_MICROS));
                let old = u32::try_from(store.rows_unchanged_since(since)).unwrap_or(u32::MAX);
                // Age alone may make room enough.
                let (reason, keep, unchanged_since) = if rows - old <= SOFT_CAP {
                    (EvictionReason::Age, rows - old, Some(since))
                } else {
                    (EvictionReason::Cap, SOFT_CAP, (0 < old).then_some(since))
                };
                let evicted = rows - keep;
                let workspace = workspace();
                needed.push(RoomNeeded::Evicted(PatternEvicted {
                    workspace,
                    reason,
                    rows,
                    evicted,
                    unchanged_since,
                    keep,
                }));
            } else if SOFT_CAP < rows && !store.filling {
                let (soft_cap, hard_cap) = (SOFT_CAP, HARD_CAP);
                needed.push(RoomNeeded::Filling(PatternFilling { workspace: workspace(), rows, soft_cap, hard_cap }));
            }
        }
        needed
    }
}
