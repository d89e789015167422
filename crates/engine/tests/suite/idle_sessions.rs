//! Sessions that left memory because they were idle.

use std::sync::{Arc, atomic::Ordering};

use contracts::{
    ResponseSummary, Thread, ToolRequest,
    events::{StopReason, TurnStatus},
};
use engine::{RouterState, ToolResult, TurnInput};
use event_bus::{EventLog, MemoryTexts, testing::HookedLog};

use crate::support::{
    Desk,
    desk::{client_request, session},
    idle::{FailsEntries, comparable_events, next_random},
    models::{OPUS, model_id, models},
};

/// The number of sessions that the tests use in turn.
const SESSIONS: usize = 40;

/// Makes one step with a session: starts or continues a turn, ends it, has it call a tool, or sets the model.
fn step(desk: &mut Desk, number: u64, seed: &mut u64) {
    let name = format!("session-{}", next_random(seed) % SESSIONS as u64);
    let id = session(&name);
    desk.pass_secs(1);
    desk.engine.load_session(&id).unwrap();
    match (desk.running(&name), next_random(seed) % 4) {
        (_, 0) => {
            let model = next_random(seed).is_multiple_of(2).then(|| model_id(OPUS));
            desk.engine.select_model(&id, model).unwrap();
        }
        (Some(_), 1) => desk.answer(&name, StopReason::EndTurn),
        (Some(turn), 2) => {
            desk.engine.end_turn(&id, turn, TurnStatus::Completed).unwrap();
            desk.engine.commit().unwrap();
        }
        _ => {
            let input = TurnInput {
                workspace: Some(format!("/work/{}", number % 3)),
                request: Some(client_request()),
                ..TurnInput::new(id.clone(), format!("message-{number}"), "fix the tests")
            };
            let turn = desk.arrive(input).unwrap().turn;
            // Most turns end; a turn of the gateway that neither ends nor waits keeps its session in memory.
            if !next_random(seed).is_multiple_of(8) {
                desk.engine.end_turn(&id, turn, TurnStatus::Completed).unwrap();
                desk.engine.commit().unwrap();
            }
        }
    }
}

/// Asserts that the state of every session, loaded if it left memory, is that of a fold of the whole log.
fn assert_equals_the_log(desk: &mut Desk) {
    let in_memory = {
        let log = event_bus::MemoryLog::new();
        log.restore(&desk.events()).unwrap();
        log.sync().unwrap();
        event_bus::fold_all::<RouterState>(&log).unwrap()
    };
    assert_eq!(in_memory.sessions.count(), desk.engine.state().sessions.count());
    assert_eq!(in_memory.costs.overall(), desk.engine.state().costs.overall());
    for (id, expected) in in_memory.sessions.iter() {
        desk.engine.load_session(id).unwrap();
        let state = desk.engine.state();
        assert_eq!(state.sessions.get(id), Some(expected), "{id}");
        assert_eq!(state.costs.session(id), in_memory.costs.session(id), "{id}");
    }
}

/// Ends the program without saving its state, and starts it again with this limit.
fn restart(desk: Desk, limit: usize) -> Desk {
    let (policy, log, texts) = (Some("global_default: sonnet"), Arc::clone(&desk.log), Arc::clone(&desk.texts));
    let now = desk.now;
    drop(desk);
    let mut desk = Desk::open(policy, log, texts, models());
    desk.engine.set_max_sessions_in_memory(limit);
    desk.now = now;
    desk.clock.set(now);
    desk
}

/// Attack: many sessions of one request each.
/// Holds: the state of idle sessions leaves memory, and their decisions are the same.
///
/// The same steps record the same events whether sessions leave memory or not, and a session that is used again has the
/// state that follows from the log.
#[test]
fn a_session_that_left_memory_is_decided_as_if_it_had_not() {
    for first_seed in 0..6 {
        let mut desk = Desk::with("global_default: sonnet");
        let mut small = Desk::with("global_default: sonnet");
        small.engine.set_max_sessions_in_memory(2);
        let (mut seed, mut small_seed) = (first_seed, first_seed);
        let mut smallest = usize::MAX;
        for number in 0..240 {
            step(&mut desk, number, &mut seed);
            step(&mut small, number, &mut small_seed);
            if 120 < number {
                smallest = smallest.min(small.engine.state().sessions.iter().count());
            }
            if number == 150 {
                small = restart(small, 2);
                desk = restart(desk, 2_000);
            }
        }
        assert_eq!(comparable_events(&desk), comparable_events(&small), "seed {first_seed}");
        assert!(smallest < SESSIONS / 2, "{smallest} sessions stayed in memory");
        assert_equals_the_log(&mut small);
    }
}

/// After a normal end, the sessions that left memory are loaded from the entries of the log; after a kill, from the
/// events.
#[test]
fn a_session_that_left_memory_comes_back_after_a_normal_end_and_after_a_kill() {
    for closes in [true, false] {
        let mut desk = Desk::with("global_default: sonnet");
        desk.engine.set_max_sessions_in_memory(1);
        let mut seed = 3;
        for number in 0..160 {
            step(&mut desk, number, &mut seed);
        }
        let (log, texts) = (Arc::clone(&desk.log), Arc::clone(&desk.texts));
        if closes {
            desk.engine.close().unwrap();
        }
        let mut desk = Desk::open(Some("global_default: sonnet"), log, texts, models());
        let in_memory = desk.engine.state().sessions.iter().count();
        assert_eq!(in_memory < SESSIONS, closes, "{in_memory}");
        assert_equals_the_log(&mut desk);
    }
}

/// A turn that waits for a tool result continues after its session left memory.
#[test]
fn a_turn_that_waits_for_a_tool_continues_after_its_session_left_memory() {
    let mut desk = Desk::with("global_default: sonnet");
    desk.engine.set_max_sessions_in_memory(1);
    let input = |tool_results| TurnInput {
        continues: true,
        tool_results,
        request: Some(client_request()),
        ..TurnInput::new(session("one"), "message", "run the tests")
    };
    let started = desk.arrive(input(Vec::new())).unwrap();
    let call = desk.engine.record_call(&started, &model_id(OPUS), &[].into()).unwrap();
    let tool = ToolRequest { id: "call-1".to_owned(), name: "Bash".to_owned(), arguments: "{}".to_owned() };
    let response =
        ResponseSummary { stop_reason: StopReason::ToolUse, tool_calls: vec![tool], ..ResponseSummary::default() };
    desk.engine.record_response(&call, &response, None, desk.now).unwrap();
    desk.engine.commit().unwrap();
    for number in 0..8 {
        desk.turn_without_check(&format!("other-{number}"));
    }
    assert!(desk.engine.state().sessions.get(&session("one")).is_none(), "it left memory");
    let result =
        ToolResult { id: "call-1".to_owned(), failed: false, bytes: 3, extensions: [].into(), failure: String::new() };
    let continued = desk.arrive(input(vec![result])).unwrap();
    assert_eq!(continued.turn, started.turn);
    let known = desk.engine.state().sessions.get(&session("one")).unwrap();
    assert_eq!(known.running_turn(&Thread::Main).unwrap().tools_waiting, []);
}

/// If the index of the log fails, the state is folded from the log and stays in memory.
#[test]
fn without_an_index_the_sessions_come_back_from_the_log_and_stay_in_memory() {
    let log = Arc::new(HookedLog::<FailsEntries>::default());
    let as_log = Arc::clone(&log) as Arc<dyn EventLog>;
    let mut desk = Desk::open(Some("global_default: sonnet"), as_log, Arc::new(MemoryTexts::new()), models());
    desk.engine.set_max_sessions_in_memory(1);
    for number in 0..6 {
        desk.turn_without_check(&format!("session-{number}"));
    }
    assert!(desk.engine.state().sessions.iter().count() < 6);
    log.hooks.0.store(true, Ordering::Relaxed);
    desk.turn_without_check("session-0");
    for number in 0..20 {
        desk.turn_without_check(&format!("session-{number}"));
    }
    assert_eq!(desk.engine.state().sessions.iter().count(), 20);
    assert_equals_the_log(&mut desk);
}
