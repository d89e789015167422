//! Workspaces whose patterns left memory because they were idle.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use contracts::{
    ModelId,
    events::{PatternsCleared, Rating, RouteDecided, StopReason, TurnEmbedded, TurnStarted, TurnStatus},
};
use engine::{RouterState, TurnInput};
use event_bus::{EventLog, MemoryLog, MemoryTexts, testing::HookedLog};

use crate::support::{
    Desk,
    desk::{client_request, session},
    idle::{FailsEntries, comparable_events, next_random},
    models::models,
};

/// The number of workspaces that the tests use in turn.
const WORKSPACES: u64 = 12;

/// A policy that learns, with an endpoint for embeddings that is never called: messages have hashes.
const POLICY: &str = "global_default: sonnet\npattern: {min_sample_size: 1}\n\
                      embedding: {url: \"http://127.0.0.1:1/\", model: m}\n";

/// Returns the path of a workspace; `None` for the first.
fn workspace(number: u64) -> Option<String> {
    (number != 0).then(|| format!("/work/{number}"))
}

/// Runs a turn of the session with this number from its start to its end.
fn run_turn(desk: &mut Desk, number: u64, workspace: Option<String>, message: &str) {
    let name = format!("session-{number}");
    let request = Some(client_request());
    let turn = desk.arrive(TurnInput { workspace, request, ..TurnInput::new(session(&name), "message", message) });
    desk.answer(&name, StopReason::EndTurn);
    desk.engine.end_turn(&session(&name), turn.unwrap().turn, TurnStatus::Completed).unwrap();
    desk.engine.commit().unwrap();
}

/// Makes one step: runs a turn of a workspace, rates or embeds one, or clears patterns.
fn step(desk: &mut Desk, number: u64, seed: &mut u64) {
    desk.pass_secs(1);
    let ended: Vec<TurnStarted> = desk.all();
    let chosen = ended.get(usize::try_from(next_random(seed)).unwrap() % ended.len().max(1)).cloned();
    match (chosen, next_random(seed) % 32) {
        (Some(turn), 0..8) => {
            let rating = if next_random(seed).is_multiple_of(2) { Rating::Up } else { Rating::Down };
            desk.engine.give_feedback(turn.turn, rating).unwrap();
        }
        (Some(TurnStarted { turn, features, .. }), 8..12) => {
            let value = i8::try_from(next_random(seed) % 100).unwrap();
            let event = TurnEmbedded {
                turn,
                text: features.text.unwrap(),
                embedder: "m/4".to_owned(),
                vector: vec![value, 100, -3, 1],
            };
            desk.record(turn, &event);
            desk.engine.commit().unwrap();
        }
        (_, 12) => {
            let all = next_random(seed).is_multiple_of(4);
            let path = workspace(next_random(seed) % WORKSPACES).filter(|_| !all);
            desk.engine.clear_patterns(all, path).unwrap();
        }
        _ => {
            let path = workspace(next_random(seed) % WORKSPACES);
            run_turn(desk, number, path, &format!("fix the test {}", next_random(seed) % 5));
        }
    }
}

/// Returns the state that follows from the log, with everything in memory.
fn folded(desk: &Desk) -> RouterState {
    let log = MemoryLog::new();
    log.restore(&desk.events()).unwrap();
    log.sync().unwrap();
    event_bus::fold_all::<RouterState>(&log).unwrap()
}

/// Returns the number of scored turns of all models, in memory or not.
fn scored_turns(state: &RouterState) -> u64 {
    let in_memory = state.patterns.status().map(|status| status.scored);
    in_memory.chain(state.patterns.idle_scores().map(|(_, turns, _)| turns)).sum()
}

/// Asserts that the sums over all workspaces and the patterns of each, loaded if they left memory, are those of a fold
/// of the whole log.
fn assert_equals_the_log(desk: &mut Desk) {
    let expected = folded(desk);
    let rows = |state: &RouterState| {
        state.patterns.status().map(|status| status.rows as u64).sum::<u64>() + state.patterns.idle_rows()
    };
    assert_eq!(rows(desk.engine.state()), rows(&expected));
    assert_eq!(scored_turns(desk.engine.state()), scored_turns(&expected));
    for number in 0..WORKSPACES {
        let path = workspace(number);
        desk.engine.load_workspace(path.as_deref()).unwrap();
        assert_eq!(
            desk.engine.state().patterns.store(path.as_deref()),
            expected.patterns.store(path.as_deref()),
            "{path:?}"
        );
    }
    assert_eq!(desk.engine.state().patterns.idle_rows(), 0, "all are in memory");
    assert_eq!(desk.engine.state().patterns.idle_scores().count(), 0);
}

/// Ends the program, with or without saving its state, and starts it again with this limit.
fn restart(desk: Desk, limit: usize, closes: bool) -> Desk {
    let (log, texts, now) = (Arc::clone(&desk.log), Arc::clone(&desk.texts), desk.now);
    if closes {
        desk.engine.close().unwrap();
    } else {
        drop(desk);
    }
    let mut desk = Desk::open(Some(POLICY), log, texts, models());
    desk.engine.set_max_workspaces_in_memory(limit);
    desk.now = now;
    desk.clock.set(now);
    desk
}

/// Attack: requests of many workspaces.
/// Holds: the patterns of idle workspaces leave memory, and decisions are the same.
///
/// The same steps record the same events whether workspaces leave memory or not, also over a normal end and a kill, and
/// patterns that come back are those that follow from the log.
#[test]
fn the_patterns_of_a_workspace_that_left_memory_decide_as_if_they_had_not() {
    let (mut learned, mut cleared, mut models_used) = (0, 0, BTreeSet::<Option<ModelId>>::new());
    for first_seed in 0..6 {
        let mut desk = Desk::with(POLICY);
        let mut small = Desk::with(POLICY);
        small.engine.set_max_workspaces_in_memory(2);
        let (mut seed, mut small_seed) = (first_seed, first_seed);
        let mut smallest = usize::MAX;
        for number in 0..150 {
            step(&mut desk, number, &mut seed);
            step(&mut small, number, &mut small_seed);
            if 50 < number {
                smallest = smallest.min(small.engine.state().patterns.workspaces().count());
            }
            if number == 70 || number == 110 {
                small = restart(small, 2, number == 70);
                desk = restart(desk, 200, number == 70);
            }
        }
        assert_eq!(comparable_events(&desk), comparable_events(&small), "seed {first_seed}");
        assert!(smallest <= 3, "{smallest} workspaces stayed in memory");
        assert_equals_the_log(&mut small);
        learned += scored_turns(small.engine.state());
        cleared += small.all::<PatternsCleared>().len();
        models_used.extend(small.all::<RouteDecided>().into_iter().map(|decided| decided.decision.chosen));
    }
    assert!(40 < learned && 6 < cleared, "{learned} scored turns, cleared {cleared} times");
    assert!(!models_used.contains(&None));
}

/// After a normal end, the patterns that left memory are loaded from the entries of the log; after a kill, from its
/// events. Patterns that were cleared while they were in memory do not come back from an older entry.
#[test]
fn patterns_come_back_after_a_normal_end_and_after_a_kill_unless_they_were_cleared() {
    for closes in [true, false] {
        let mut desk = Desk::with(POLICY);
        desk.engine.set_max_workspaces_in_memory(1);
        for number in 0..8 {
            run_turn(&mut desk, number, workspace(number % 4), "fix the test");
        }
        assert!(desk.engine.state().patterns.store(workspace(1).as_deref()).is_none(), "it left memory");
        let cleared = desk.engine.clear_patterns(false, workspace(1)).unwrap();
        assert_eq!(cleared.rows, 1);
        let mut desk = restart(desk, 1, closes);
        let in_memory = desk.engine.state().patterns.workspaces().count();
        assert_eq!(in_memory < 3, closes, "{in_memory}");
        desk.engine.load_workspace(workspace(1).as_deref()).unwrap();
        assert!(desk.engine.state().patterns.store(workspace(1).as_deref()).is_none(), "it stays cleared");
        assert_equals_the_log(&mut desk);
    }
}

/// If the index of the log fails, the patterns are folded from the log and stay in memory.
#[test]
fn without_an_index_the_patterns_come_back_from_the_log_and_stay_in_memory() {
    let log = Arc::new(HookedLog::<FailsEntries>::default());
    let as_log = Arc::clone(&log) as Arc<dyn EventLog>;
    let mut desk = Desk::open(Some(POLICY), as_log, Arc::new(MemoryTexts::new()), models());
    desk.engine.set_max_workspaces_in_memory(1);
    let mut seed = 11;
    for number in 0..40 {
        step(&mut desk, number, &mut seed);
    }
    assert!(desk.engine.state().patterns.workspaces().count() <= 2);
    log.hooks.0.store(true, Ordering::Relaxed);
    for number in 40..90 {
        step(&mut desk, number, &mut seed);
    }
    for number in 0..WORKSPACES {
        run_turn(&mut desk, 90 + number, workspace(number), "fix the test");
    }
    assert_eq!(desk.engine.state().patterns.workspaces().count() as u64, WORKSPACES);
    assert_equals_the_log(&mut desk);
}
