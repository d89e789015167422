//! Looking up turns by id reads the same number of events whether the turn exists, and however long the log is.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use contracts::TurnId;
use engine::{EngineError, TurnInput, find_decision, find_recent_decision};
use event_bus::{
    EventLog, MemoryTexts,
    testing::{HookedLog, LogHooks},
};
use event_core::{EventId, Position};

use crate::support::{Desk, desk::session, models::models};

/// A log hook that adds up how many events reads asked for.
#[derive(Debug, Default)]
struct CountsReads(AtomicUsize);

impl LogHooks for CountsReads {
    fn before_read(&self, _: Position, limit: usize) {
        self.0.fetch_add(limit, Ordering::Relaxed);
    }
}

/// Attack: look-ups of turns that do not exist.
/// Holds: no event is read.
#[test]
fn an_unknown_turn_costs_no_more_than_a_known_one() {
    let log = Arc::new(HookedLog::<CountsReads>::default());
    let as_log = Arc::clone(&log) as Arc<dyn EventLog>;
    let mut desk = Desk::open(Some("global_default: sonnet"), as_log, Arc::new(MemoryTexts::new()), models());
    let mut turns = Vec::new();
    for number in 0..50 {
        turns.push(desk.arrive(TurnInput::new(session("s"), format!("t{number}"), "hello")).unwrap().turn);
    }
    desk.engine.commit().unwrap();
    let reads = |look_up: &dyn Fn()| {
        log.hooks.0.store(0, Ordering::Relaxed);
        look_up();
        log.hooks.0.load(Ordering::Relaxed)
    };
    let known = turns[25].to_string();
    let unknown = TurnId(EventId::derive(&[b"unknown"]));
    assert!(reads(&|| drop(find_decision(&*log, &known).unwrap())) < 10);
    let is_unknown = |error: EngineError| assert!(matches!(error, EngineError::UnknownTurn(_)), "{error}");
    assert_eq!(reads(&|| is_unknown(find_decision(&*log, &unknown.to_string()).unwrap_err())), 0);
    assert_eq!(reads(&|| is_unknown(desk.engine.decision_of_turn(unknown).unwrap_err())), 0);
    // The start of an id is searched among the latest events only.
    let start = &turns[49].to_string()[..16];
    assert_eq!(find_recent_decision(&*log, start, 20).unwrap().decided.turn, turns[49]);
    is_unknown(find_recent_decision(&*log, &turns[0].to_string()[..16], 20).unwrap_err());
    assert_eq!(find_decision(&*log, &turns[0].to_string()[..16]).unwrap().decided.turn, turns[0]);
}
