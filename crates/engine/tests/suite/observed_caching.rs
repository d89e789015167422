//! Prompt caching in imported sessions: recorded usage, compactions and resumed sessions.

use contracts::{
    CacheVariant,
    events::{CompactionTrigger, LlmCallCompleted, SessionCompacted, SessionResumed},
};
use event_core::EventType as _;
use transcripts::observed::{ObservedCompaction, ObservedResumption, ObservedTurn, Step};

use crate::support::{
    Desk,
    desk::{START, session},
    models::SONNET,
    recorded::{call, completed, recorded_session, recorded_turn},
};

/// Returns a turn of a resumed session after a compaction, with a call whose response began after four seconds.
fn turn() -> ObservedTurn {
    let mut turn = recorded_turn("rec-1", "m1", "/commit", START);
    turn.steps.push(Step::Resumed(ObservedResumption { id: "m1".to_owned(), at: START }));
    let trigger = CompactionTrigger::Manual;
    turn.steps.push(Step::Compacted(ObservedCompaction {
        id: "k1".to_owned(),
        at: START.plus_secs(1),
        trigger,
        tokens_before: Some(9),
    }));
    let Step::Call(mut answer) = call("c1", START.plus_secs(9), SONNET) else { panic!("a call is a call") };
    (answer.variant, answer.began_at) = (CacheVariant::COMMAND, START.plus_secs(4));
    turn.steps.push(Step::Call(answer));
    completed(turn, START.plus_secs(9))
}

/// Imports the turn into the log, durably.
fn observe(desk: &mut Desk, turn: &ObservedTurn) {
    desk.engine.observe_turn(&recorded_session("rec-1", START), turn).unwrap();
    desk.engine.commit().unwrap();
}

/// A resumption and a compaction of an imported session are recorded as events, and a call with its cache variant and
/// the time of its first byte. Importing the turn again records nothing.
#[test]
fn a_resumption_a_compaction_and_what_kind_of_call_it_was_are_events() {
    let mut desk = Desk::with("global_default: sonnet");
    observe(&mut desk, &turn());
    let resumed = desk.events().into_iter().find(|event| event.event.kind == SessionResumed::KIND).unwrap();
    assert_eq!((resumed.event.at, resumed.event.correlation), (START, turn().id().0));
    assert_eq!(desk.all::<SessionResumed>(), [SessionResumed { session: session("rec-1") }]);
    assert_eq!(desk.all::<SessionCompacted>()[0].thread, contracts::Thread::Main);
    let call = &desk.all::<LlmCallCompleted>()[0];
    let told = (call.variant, call.began_at);
    assert_eq!(told, (CacheVariant::COMMAND, Some(START.plus_secs(4))));

    let head = desk.head();
    observe(&mut desk, &turn());
    assert_eq!(desk.head(), head, "once");
}

/// A compaction in a sub-agent's turn is recorded with the thread of the sub-agent.
#[test]
fn a_sub_agents_compaction_is_its_own() {
    let mut desk = Desk::with("global_default: sonnet");
    let agent = contracts::Thread::SubAgent("agent".try_into().unwrap());
    let turn = ObservedTurn { thread: agent.clone(), ..turn() };
    observe(&mut desk, &turn);
    assert_eq!(desk.all::<SessionCompacted>()[0].thread, agent);
}
