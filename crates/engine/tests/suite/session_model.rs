//! The model that the user set for a session serves the main conversation alone (decision D45).

use contracts::{AuxiliaryCall, ClientRequest, Delegation, NanoUsd, Slot, Thread, ThreadId, Tier, events::TurnStarted};
use engine::TurnInput;

use crate::support::{
    Desk,
    desk::{client_request, session},
    models::{HAIKU, OPUS, SONNET, model_id},
};

/// A policy that selects the fast model for sub-agents and auxiliary calls, and Sonnet for all other turns.
const POLICY: &str = "rules:
  - {name: workers, when: {thread_is_subagent: true}, use: haiku}
global_default: sonnet
gateway: {auxiliary_calls: fast}
";

/// Returns a turn of the main conversation.
fn input(name: &str) -> TurnInput {
    TurnInput { request: Some(client_request()), ..TurnInput::new(session("one"), name, "go on") }
}

/// Returns a turn of a sub-agent.
fn sub_agent(name: &str) -> TurnInput {
    let request = ClientRequest { subagent: true, ..client_request() };
    let thread = Thread::SubAgent(ThreadId::try_from("agent-1").unwrap());
    TurnInput { thread, request: Some(request), ..input(name) }
}

/// Returns an auxiliary call for a title.
fn title(name: &str) -> TurnInput {
    let request = ClientRequest { auxiliary: Some(AuxiliaryCall::Title), ..client_request() };
    TurnInput { thread: Thread::Auxiliary(AuxiliaryCall::Title), request: Some(request), ..input(name) }
}

/// Returns a turn that is delegated to the fast tier.
fn delegated(name: &str) -> TurnInput {
    TurnInput { delegation: Some(Delegation { tier: Tier::Fast }), ..input(name) }
}

/// D45: the model that the user set for a session does not apply to sub-agents, delegated turns and auxiliary calls.
#[test]
fn d45_a_session_model_leaves_sub_agents_workers_and_auxiliary_calls_to_the_policy() {
    let mut desk = Desk::with(POLICY);
    desk.engine.select_model(&session("one"), Some(model_id(OPUS))).unwrap();
    for other in [sub_agent("a"), title("b"), delegated("c")] {
        let outcome = desk.arrive(other).unwrap();
        assert_eq!(outcome.model(), Some(&model_id(HAIKU)), "{:?}", outcome.input.thread);
        assert_eq!(desk.all::<TurnStarted>().last().unwrap().sticky, None);
    }
    assert_eq!(desk.arrive(input("d")).unwrap().model(), Some(&model_id(OPUS)));
}

/// D45: a model set during a turn stays pending during sub-agents, delegated turns and auxiliary calls, and applies to
/// the next turn of the main conversation.
#[test]
fn d45_a_pending_swap_waits_for_the_next_turn_of_the_conversation() {
    let mut desk = Desk::with(POLICY);
    let running = desk.arrive(input("first")).unwrap();
    assert_eq!(running.model(), Some(&model_id(SONNET)));
    assert!(desk.engine.select_model(&session("one"), Some(model_id(OPUS))).unwrap().pending);
    for other in [sub_agent("a"), title("b"), delegated("c")] {
        assert_eq!(desk.arrive(other).unwrap().model(), Some(&model_id(HAIKU)));
        let state = desk.engine.state().sessions.get(&session("one")).unwrap();
        assert_eq!((state.sticky(), state.pending()), (None, Some(&Some(model_id(OPUS)))), "still pending");
    }
    desk.stands_where_the_log_says();
    assert_eq!(desk.arrive(input("second")).unwrap().model(), Some(&model_id(OPUS)));
}

/// The status line of a session shows the turn of its user, not that of a sub-agent or of a title.
#[test]
fn the_last_turn_of_a_session_is_one_of_its_main_conversation() {
    let mut desk = Desk::with(POLICY);
    let unknown = desk.engine.session_status(&session("one")).unwrap();
    assert_eq!((unknown.last, unknown.spent_today), (None, NanoUsd(0)));
    desk.arrive(sub_agent("before")).unwrap();
    assert_eq!(desk.engine.session_status(&session("one")).unwrap().last, None);
    desk.arrive(input("first")).unwrap();
    for other in [sub_agent("a"), title("b")] {
        desk.arrive(other).unwrap();
        let last = desk.engine.session_status(&session("one")).unwrap().last.unwrap();
        assert_eq!((last.model, last.slot, last.rule), (Some(model_id(SONNET)), Some(Slot::GlobalDefault), None));
        assert_eq!((last.is_requested, last.failed, last.is_imported), (false, None, false));
    }
    desk.stands_where_the_log_says();
}
