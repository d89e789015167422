//! Failed calls of live turns: their events and their costs.

use std::collections::BTreeSet;

use contracts::{
    CallRole, NanoUsd, Thread, Usage,
    events::{ErrorClass, LlmCallFailed},
};
use engine::{Call, CallFailure, TurnInput};

use crate::support::{
    Desk,
    desk::session,
    models::{HAIKU, model_id},
};

/// Records a call of a worker's turn as sent.
fn sent(desk: &mut Desk, model: &str) -> Call {
    let input = TurnInput::new(session("sess_42"), "message-0", "hello");
    let started = desk.arrive(TurnInput { thread: worker(), ..input }).unwrap();
    desk.engine.record_call(&started, &model_id(model), &BTreeSet::new()).unwrap()
}

/// Returns the thread of a sub-agent.
fn worker() -> Thread {
    Thread::SubAgent("tu_01HZ_a".try_into().unwrap())
}

/// Returns a cancelled call with this usage; `None` if the provider reported none.
fn cancelled(usage: Option<Usage>) -> CallFailure {
    let raw_usage = usage.map(|usage| format!(r#"{{"input_tokens":{}}}"#, usage.input));
    CallFailure { class: ErrorClass::Cancelled, status: None, retries: 0, usage, raw_usage, key: None }
}

/// A call that was cancelled during its response is recorded with the reported usage and its cost.
#[test]
fn a_call_that_was_cancelled_in_its_answer_is_recorded_with_what_it_had_used_and_cost() {
    let mut desk = Desk::with("global_default: haiku");
    let sent = sent(&mut desk, HAIKU);
    let usage = Usage { input: 30_000, output: 7, ..Usage::default() };
    desk.engine.record_call_failure(&sent, &cancelled(Some(usage))).unwrap();
    desk.engine.commit().unwrap();

    let cost = desk.models.registry.named(HAIKU).unwrap().prices.unwrap().cost(&usage);
    assert!(NanoUsd(0) < cost);
    let [event] = desk.all::<LlmCallFailed>().try_into().unwrap();
    assert_eq!((event.thread, event.usage, event.cost), (sent.thread, Some(usage), Some(cost)));
    assert_eq!(event.raw_usage.as_deref(), Some(r#"{"input_tokens":30000}"#));
    let costs = &desk.engine.state().costs;
    assert_eq!((costs.spent_today(desk.now), costs.role(CallRole::Worker).cost), (cost, cost));
}

/// A call that was cancelled before its response does not count as a call.
#[test]
fn a_call_that_was_cancelled_before_its_answer_costs_nothing_and_counts_as_none() {
    let mut desk = Desk::with("global_default: haiku");
    let sent = sent(&mut desk, HAIKU);
    desk.engine.record_call_failure(&sent, &cancelled(None)).unwrap();
    assert_eq!(desk.engine.state().costs.overall().calls, 0);
}

/// A failed call with usage to a model without prices counts as unpriced.
#[test]
fn what_a_call_to_a_model_without_known_prices_had_used_is_counted_as_unpriced() {
    let mut desk = Desk::with("global_default: haiku");
    let sent = sent(&mut desk, "nobody:knows");
    desk.engine.record_call_failure(&sent, &cancelled(Some(Usage { input: 9, ..Usage::default() }))).unwrap();
    let overall = desk.engine.state().costs.overall();
    assert_eq!((overall.calls, overall.unpriced_calls, overall.cost), (1, 1, NanoUsd(0)));
}

/// `recover` records the calls of a killed process as failed, without usage and cost, and ends their turns, once.
#[test]
fn calls_that_ran_when_the_program_was_killed_are_over_and_cost_nothing_that_is_known() {
    let mut desk = Desk::with("global_default: haiku");
    sent(&mut desk, HAIKU);
    desk.engine.commit().unwrap();
    let mut desk = desk.restarted();
    assert_eq!(desk.engine.recover().unwrap(), 1);
    let [event] = desk.all::<LlmCallFailed>().try_into().unwrap();
    assert_eq!((event.class, event.usage, event.cost), (ErrorClass::Other, None, None));
    assert_eq!(desk.running("sess_42"), None);
    assert_eq!(desk.engine.recover().unwrap(), 0);
}
