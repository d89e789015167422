//! The capacity of a workspace's store, and the events that keep it within bounds.
//!
//! Rows are evicted when [`PatternEvicted`] is applied, never on their own: a store rebuilt from the log loses the same
//! rows at the same position.

use contracts::events::{EvictionReason, PatternEvicted, PatternFilling};
use event_core::{CodecError, EventId, EventType, NewEvent, Position, Timestamp};

use crate::{Patterns, Store};

/// The number of rows above which a store is reported as filling, and to which an eviction reduces it.
pub const SOFT_CAP: u32 = 5_000;

/// The number of rows above which rows are evicted.
pub const HARD_CAP: u32 = 10_000;

/// The time since its last change after which a row is evicted first: 180 days, in microseconds.
pub const MAX_AGE_MICROS: u64 = 180 * 86_400 * 1_000_000;

/// An event that reports or limits the size of a store, to be appended to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CapacityEvent {
    /// Reports that a store has more than [`SOFT_CAP`] rows; created once between two evictions.
    Filling(PatternFilling),
    /// Evicts rows of a store with more than [`HARD_CAP`] rows.
    Evicted(PatternEvicted),
}

impl CapacityEvent {
    /// Creates the envelope of the event with time `at`. The event id is derived from kind, workspace and the log's
    /// `position`, so that the same event is appended only once.
    ///
    /// # Errors
    /// [`CodecError`] if the path of the workspace is too long for an event.
    pub fn seal(&self, at: Timestamp, position: Position) -> Result<NewEvent, CodecError> {
        match self {
            Self::Filling(event) => seal(event, event.workspace.as_deref(), at, position),
            Self::Evicted(event) => seal(event, event.workspace.as_deref(), at, position),
        }
    }
}

/// Creates the envelope of one event; see [`CapacityEvent::seal`]. All events of a workspace have the same correlation
/// id.
fn seal<E: EventType>(
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
    /// Returns the events to append to the log so that no store exceeds its capacity; empty if all stores in memory are
    /// within their limits. `now` is the time from which the ages of rows are measured.
    ///
    /// Takes constant time for each store below its capacity.
    pub fn capacity_events(&self, now: Timestamp) -> Vec<CapacityEvent> {
        let events = self.stores.iter().filter_map(|(path, store)| {
            let workspace = Some(path.as_str()).filter(|path| !path.is_empty());
            capacity_event(workspace, store, now)
        });
        events.collect()
    }
}

/// Returns whether an event is due that reports or limits the size of a store.
pub(crate) fn is_event_due(store: &Store) -> bool {
    let rows = u32::try_from(store.rows()).unwrap_or(u32::MAX);
    HARD_CAP < rows || (SOFT_CAP < rows && !store.filling)
}

/// Returns the event that is due for the store of one workspace: an eviction above [`HARD_CAP`] rows, or a report above
/// [`SOFT_CAP`] rows unless one was recorded since the last eviction. `None` if no event is due.
///
/// `workspace` is `None` for the store of turns without a workspace. `now` is the time from which the ages of rows are
/// measured.
fn capacity_event(workspace: Option<&str>, store: &Store, now: Timestamp) -> Option<CapacityEvent> {
    if !is_event_due(store) {
        return None;
    }
    let rows = u32::try_from(store.rows()).unwrap_or(u32::MAX);
    let workspace = workspace.map(str::to_owned);
    Some(if HARD_CAP < rows {
        CapacityEvent::Evicted(eviction(workspace, rows, store, now))
    } else {
        CapacityEvent::Filling(PatternFilling { workspace, rows, soft_cap: SOFT_CAP, hard_cap: HARD_CAP })
    })
}

/// Creates the event that reduces a store of `rows` rows to at most [`SOFT_CAP`]. It evicts the rows older than
/// [`MAX_AGE_MICROS`]; if too many rows would remain, also the least recently updated ones. Does not change the store.
fn eviction(workspace: Option<String>, rows: u32, store: &Store, now: Timestamp) -> PatternEvicted {
    let oldest_kept = Timestamp(now.0.saturating_sub(MAX_AGE_MICROS));
    let old_rows = u32::try_from(store.rows_unchanged_since(oldest_kept)).unwrap_or(u32::MAX);
    let (reason, keep, unchanged_since) = if rows - old_rows <= SOFT_CAP {
        (EvictionReason::Age, rows - old_rows, Some(oldest_kept))
    } else {
        (EvictionReason::Cap, SOFT_CAP, (0 < old_rows).then_some(oldest_kept))
    };
    PatternEvicted { workspace, reason, rows, evicted: rows - keep, unchanged_since, keep }
}
