//! How a store makes room.

use std::collections::BTreeSet;

use contracts::{
    Features, Score, TurnId,
    events::{EvictionReason, PatternEvicted, PatternFilling},
};
use event_core::{EventId, Position, Projection, Recorded, Timestamp};

use super::given::{model, sketch};
use crate::{HARD_CAP, MAX_AGE_MICROS, Patterns, RoomNeeded, RowId, SOFT_CAP, Sample, Store};

const WORKSPACE: &str = "/home/dev/shop";

/// A year after the beginning of time.
const NOW: Timestamp = Timestamp::from_secs(365 * 86_400);

/// What was learned in one workspace, one row at a time.
struct Filled {
    patterns: Patterns,
    rows: Vec<RowId>,
}

impl Default for Filled {
    fn default() -> Self {
        let mut patterns = Patterns::default();
        patterns.stores.insert(WORKSPACE.to_owned(), Store::default());
        Self { patterns, rows: Vec::new() }
    }
}

impl Filled {
    fn store(&mut self) -> &mut Store {
        self.patterns.stores.get_mut(WORKSPACE).unwrap()
    }

    /// Turns of features that none had before, until there were so many.
    fn up_to(mut self, rows: u32, at: Timestamp) -> Self {
        while self.rows.len() < rows as usize {
            let place = self.rows.len();
            let numbers = vec![u16::try_from(place % 251).unwrap(), u16::try_from(300 + place / 251).unwrap()];
            let features = Features { sketch: sketch(numbers, Vec::new(), Vec::new()), ..Features::default() };
            let turn = turn(place);
            let row = self.store().record(Sample { turn, features: &features, model: &model(0), cost: None, at });
            self.rows.push(row);
        }
        self
    }

    fn needed(&self) -> Vec<RoomNeeded> {
        self.patterns.room_needed(NOW)
    }

    /// Folds what has to be recorded.
    fn fold(&mut self) {
        for needed in self.needed() {
            let event = needed.seal(NOW, Position(1)).unwrap();
            self.patterns.apply(&Recorded::new(Position(1), NOW, event)).unwrap();
        }
    }

    fn turns(&mut self) -> BTreeSet<TurnId> {
        self.store().row_status().into_iter().map(|row| row.turn).collect()
    }
}

fn turn(place: usize) -> TurnId {
    TurnId(EventId::derive(&[&place.to_le_bytes()]))
}

fn turns(places: impl Iterator<Item = usize>) -> BTreeSet<TurnId> {
    places.map(turn).collect()
}

fn evicted(reason: EvictionReason, keep: u32, unchanged_since: Option<Timestamp>) -> Vec<RoomNeeded> {
    let (workspace, rows) = (Some(WORKSPACE.to_owned()), HARD_CAP + 1);
    let evicted = rows - keep;
    vec![RoomNeeded::Evicted(PatternEvicted { workspace, reason, rows, evicted, unchanged_since, keep })]
}

#[test]
fn a_store_says_once_that_it_is_filling() {
    let mut filled = Filled::default().up_to(SOFT_CAP, NOW);
    assert_eq!(filled.needed(), []);
    filled = filled.up_to(SOFT_CAP + 1, NOW);
    let (workspace, rows) = (Some(WORKSPACE.to_owned()), SOFT_CAP + 1);
    let body = PatternFilling { workspace, rows, soft_cap: SOFT_CAP, hard_cap: HARD_CAP };
    assert_eq!(filled.needed(), [RoomNeeded::Filling(body)]);
    filled.fold();
    assert_eq!(filled.needed(), []);
    filled = filled.up_to(SOFT_CAP + 100, NOW);
    assert_eq!(filled.needed(), []);
}

#[test]
fn beyond_the_hard_cap_the_rows_that_changed_last_are_kept_up_to_the_soft_cap() {
    let mut filled = Filled::default().up_to(HARD_CAP, NOW);
    filled.fold();
    assert_eq!(filled.needed(), [], "full, and said so");
    filled = filled.up_to(HARD_CAP + 1, NOW);
    // The first three come to be judged after all others were recorded.
    for place in 0..3 {
        let row = filled.rows[place];
        filled.store().judge(row, None, Some(Score::ONE), NOW);
    }
    assert_eq!(filled.needed(), evicted(EvictionReason::Cap, SOFT_CAP, None));
    filled.fold();
    let (rows, soft_cap) = (HARD_CAP as usize + 1, SOFT_CAP as usize);
    assert_eq!(filled.turns(), turns((0..3).chain(rows - soft_cap + 3..rows)));
    assert_eq!(filled.needed(), []);
    assert_eq!(filled.store().samples(), (u64::from(SOFT_CAP), 3));
    // What comes for an evicted row is too late; once it has grown again, it says so again.
    let gone = filled.rows[10];
    filled.store().judge(gone, None, Some(Score::ONE), NOW);
    assert_eq!(filled.store().samples(), (u64::from(SOFT_CAP), 3));
    filled = filled.up_to(HARD_CAP + 2, NOW);
    assert!(matches!(filled.needed()[..], [RoomNeeded::Filling(_)]));
}

#[test]
fn old_rows_go_first_and_alone_when_that_makes_room_enough() {
    let since = Timestamp(NOW.0 - MAX_AGE_MICROS);
    let old = Timestamp(since.0 - 1);
    let mut filled = Filled::default().up_to(6_000, old).up_to(HARD_CAP + 1, since);
    assert_eq!(filled.needed(), evicted(EvictionReason::Age, HARD_CAP + 1 - 6_000, Some(since)));
    filled.fold();
    assert_eq!(filled.turns(), turns(6_000..=HARD_CAP as usize));
    assert_eq!(filled.needed(), []);
}

#[test]
fn where_old_rows_are_too_few_the_others_are_cut_to_the_soft_cap() {
    let since = Timestamp(NOW.0 - MAX_AGE_MICROS);
    let old = Timestamp(since.0 - 1);
    // Old rows among the newer ones: those that were recorded last changed longest ago.
    let mut filled = Filled::default().up_to(HARD_CAP - 1_000, NOW).up_to(HARD_CAP + 1, old);
    assert_eq!(filled.needed(), evicted(EvictionReason::Cap, SOFT_CAP, Some(since)));
    filled.fold();
    let kept = HARD_CAP as usize - 1_000;
    assert_eq!(filled.turns(), turns(kept - SOFT_CAP as usize..kept));
    assert_eq!(filled.needed(), []);
}

#[test]
fn the_same_need_at_the_same_place_is_the_same_event() {
    let filled = Filled::default().up_to(SOFT_CAP + 1, NOW);
    let needed = filled.needed();
    let at = |position| needed[0].seal(NOW, Position(position)).unwrap();
    assert_eq!(at(7), at(7));
    assert_ne!(at(7).id, at(8).id);
}
