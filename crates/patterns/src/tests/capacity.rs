//! Tests of capacity events and of the evictions they cause.

use std::collections::BTreeSet;

use contracts::{
    Features, Score, TurnId,
    events::{EvictionReason, PatternEvicted, PatternFilling},
};
use event_core::{EventId, Position, Projection, Recorded, Timestamp};

use super::fixtures::{model, sketch};
use crate::{CapacityEvent, HARD_CAP, MAX_AGE_MICROS, Patterns, RowId, SOFT_CAP, Sample, Store};

/// The workspace of the only store.
const WORKSPACE: &str = "/home/dev/shop";

/// One year after the epoch.
const NOW: Timestamp = Timestamp::from_secs(365 * 86_400);

/// A store that grows by one row at a time.
struct GrowingStore {
    /// The projection with the store of [`WORKSPACE`].
    patterns: Patterns,
    /// The rows in the order of creation, including evicted ones.
    rows: Vec<RowId>,
}

impl Default for GrowingStore {
    fn default() -> Self {
        let mut patterns = Patterns::default();
        patterns.stores.insert(WORKSPACE.to_owned(), Store::default());
        Self { patterns, rows: Vec::new() }
    }
}

impl GrowingStore {
    /// Returns the only store.
    fn store(&mut self) -> &mut Store {
        self.patterns.stores.get_mut(WORKSPACE).unwrap()
    }

    /// Records turns with new features, ended at `at`, until `rows` rows have been created.
    fn grow_to(mut self, rows: u32, at: Timestamp) -> Self {
        while self.rows.len() < rows as usize {
            let number = self.rows.len();
            let words = vec![u16::try_from(number % 251).unwrap(), u16::try_from(300 + number / 251).unwrap()];
            let features = Features { sketch: sketch(words, Vec::new(), Vec::new()), ..Features::default() };
            let turn = turn(number);
            let row = self.store().record(Sample { turn, features: &features, model: &model(0), cost: None, at });
            self.rows.push(row);
        }
        self
    }

    /// Returns the capacity events due at [`NOW`].
    fn events(&self) -> Vec<CapacityEvent> {
        self.patterns.capacity_events(NOW)
    }

    /// Appends and applies the capacity events.
    fn apply_events(&mut self) {
        for event in self.events() {
            let event = event.seal(NOW, Position(1)).unwrap();
            self.patterns.apply_recorded(&Recorded::new(Position(1), NOW, event)).unwrap();
        }
    }

    /// Returns the latest turn of every row that is in the store.
    fn turns(&mut self) -> BTreeSet<TurnId> {
        self.store().row_status().into_iter().map(|row| row.turn).collect()
    }
}

/// Returns the id of a turn by its number.
fn turn(number: usize) -> TurnId {
    TurnId(EventId::derive(&[&number.to_le_bytes()]))
}

/// Returns the ids of several turns by their numbers.
fn turns(numbers: impl Iterator<Item = usize>) -> BTreeSet<TurnId> {
    numbers.map(turn).collect()
}

/// Returns the expected eviction from a store with one row more than [`HARD_CAP`].
fn evicted(reason: EvictionReason, keep: u32, unchanged_since: Option<Timestamp>) -> Vec<CapacityEvent> {
    let (workspace, rows) = (Some(WORKSPACE.to_owned()), HARD_CAP + 1);
    let evicted = rows - keep;
    vec![CapacityEvent::Evicted(PatternEvicted { workspace, reason, rows, evicted, unchanged_since, keep })]
}

#[test]
fn filling_is_reported_once() {
    let mut store = GrowingStore::default().grow_to(SOFT_CAP, NOW);
    assert_eq!(store.events(), []);
    store = store.grow_to(SOFT_CAP + 1, NOW);
    let (workspace, rows) = (Some(WORKSPACE.to_owned()), SOFT_CAP + 1);
    let body = PatternFilling { workspace, rows, soft_cap: SOFT_CAP, hard_cap: HARD_CAP };
    assert_eq!(store.events(), [CapacityEvent::Filling(body)]);
    store.apply_events();
    assert_eq!(store.events(), []);
    store = store.grow_to(SOFT_CAP + 100, NOW);
    assert_eq!(store.events(), []);
}

#[test]
fn above_the_hard_cap_the_last_updated_rows_are_kept() {
    let mut store = GrowingStore::default().grow_to(HARD_CAP, NOW);
    store.apply_events();
    assert_eq!(store.events(), [], "filling is reported already");
    store = store.grow_to(HARD_CAP + 1, NOW);
    // The first three rows are judged last.
    for number in 0..3 {
        let row = store.rows[number];
        store.store().replace_score(row, None, Some(Score::ONE), NOW);
    }
    assert_eq!(store.events(), evicted(EvictionReason::Cap, SOFT_CAP, None));
    store.apply_events();
    let (rows, soft_cap) = (HARD_CAP as usize + 1, SOFT_CAP as usize);
    assert_eq!(store.turns(), turns((0..3).chain(rows - soft_cap + 3..rows)));
    assert_eq!(store.events(), []);
    assert_eq!(store.store().samples(), (u64::from(SOFT_CAP), 3));
    // A score for an evicted row is ignored; filling is reported again once the store has grown.
    let evicted_row = store.rows[10];
    store.store().replace_score(evicted_row, None, Some(Score::ONE), NOW);
    assert_eq!(store.store().samples(), (u64::from(SOFT_CAP), 3));
    store = store.grow_to(HARD_CAP + 2, NOW);
    assert!(matches!(store.events()[..], [CapacityEvent::Filling(_)]));
}

#[test]
fn old_rows_alone_are_evicted_if_that_is_enough() {
    let since = Timestamp(NOW.0 - MAX_AGE_MICROS);
    let old = Timestamp(since.0 - 1);
    let mut store = GrowingStore::default().grow_to(6_000, old).grow_to(HARD_CAP + 1, since);
    assert_eq!(store.events(), evicted(EvictionReason::Age, HARD_CAP + 1 - 6_000, Some(since)));
    store.apply_events();
    assert_eq!(store.turns(), turns(6_000..=HARD_CAP as usize));
    assert_eq!(store.events(), []);
}

#[test]
fn other_rows_are_evicted_to_the_soft_cap_if_old_ones_are_too_few() {
    let since = Timestamp(NOW.0 - MAX_AGE_MICROS);
    let old = Timestamp(since.0 - 1);
    // The rows recorded last have the oldest times.
    let mut store = GrowingStore::default().grow_to(HARD_CAP - 1_000, NOW).grow_to(HARD_CAP + 1, old);
    assert_eq!(store.events(), evicted(EvictionReason::Cap, SOFT_CAP, Some(since)));
    store.apply_events();
    let kept = HARD_CAP as usize - 1_000;
    assert_eq!(store.turns(), turns(kept - SOFT_CAP as usize..kept));
    assert_eq!(store.events(), []);
}

#[test]
fn the_id_of_a_capacity_event_depends_on_the_position() {
    let store = GrowingStore::default().grow_to(SOFT_CAP + 1, NOW);
    let events = store.events();
    let at = |position| events[0].seal(NOW, Position(position)).unwrap();
    assert_eq!(at(7), at(7));
    assert_ne!(at(7).id, at(8).id);
}
