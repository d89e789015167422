//! Conversion of events to calls: preceding input, time, and cache lifetime.

use contracts::{
    CacheLifetime, CacheVariant, Thread,
    events::{LlmCallCompleted, TurnStatus},
};
use costs::prompt_cache::PrecedingInput;
use event_core::Timestamp;

use super::{
    script::{EventScript, answer, answer_of, turn, wrote},
    table::attempt,
};

#[test]
fn the_first_call_of_a_turn_follows_its_message_and_later_ones_its_tools() {
    let mut script = EventScript::default();
    script.started(0, "a", 37);
    let calls = [script.answered(5, "a", 2), script.answered(9, "a", 0), script.answered(12, "a", 0)];
    assert_eq!(
        calls.each_ref().map(|call| call.after),
        [PrecedingInput::Message, PrecedingInput::Tools, PrecedingInput::Tools]
    );
    assert_eq!(calls.each_ref().map(|call| call.message_bytes), [37, 0, 0]);
    assert!(calls.iter().all(|call| call.turn == turn("a") && call.thread == Thread::Main));
}

#[test]
fn a_further_call_of_a_turn_without_tool_calls_still_follows_the_message() {
    let mut script = EventScript::default();
    script.started(0, "a", 37);
    assert_eq!(script.answered(5, "a", 0).after, PrecedingInput::Message);
    assert_eq!(script.answered(9, "a", 0).after, PrecedingInput::Message, "a background task brought news");
}

#[test]
fn a_message_follows_a_completed_or_an_incomplete_turn() {
    let after = |status| {
        let mut script = EventScript::default();
        script.started(0, "a", 37);
        script.answered(5, "a", 1);
        script.ended(8, "a", status, 1);
        script.started(20, "b", 11);
        script.answered(25, "b", 0).after
    };
    assert_eq!(after(TurnStatus::Completed), PrecedingInput::Message);
    assert_eq!(after(TurnStatus::Cancelled), PrecedingInput::Cut);
    assert_eq!(after(TurnStatus::Failed), PrecedingInput::Cut);
}

#[test]
fn a_turn_without_an_end_is_incomplete_if_a_tool_result_is_missing() {
    let after = |tool_calls| {
        let mut script = EventScript::default();
        script.started(0, "a", 37);
        script.answered(5, "a", tool_calls);
        script.started(20, "b", 11);
        script.answered(25, "b", 0).after
    };
    assert_eq!([after(1), after(0)], [PrecedingInput::Cut, PrecedingInput::Message]);
}

#[test]
fn a_turn_cancelled_before_any_response_is_a_cancelled_call_of_the_next_call() {
    let mut script = EventScript::default();
    script.started(0, "a", 37);
    script.ended(7, "a", TurnStatus::Cancelled, 0);
    script.started(20, "b", 11);
    script.ended(22, "b", TurnStatus::Cancelled, 0);
    script.started(30, "c", 5);
    let call = script.answered(35, "c", 0);
    assert_eq!(call.attempts, [attempt(0, 7_000), attempt(20_000, 22_000)]);
    assert_eq!((call.after, call.message_bytes), (PrecedingInput::Message, 5), "nothing was cut");
    assert!(script.answered(39, "c", 0).attempts.is_empty());
}

#[test]
fn a_refused_or_failed_turn_without_a_response_is_no_cancelled_call() {
    for status in [TurnStatus::Refused, TurnStatus::Failed] {
        let mut script = EventScript::default();
        script.started(0, "a", 37);
        script.ended(7, "a", status, 0);
        script.started(20, "b", 11);
        assert!(script.answered(25, "b", 0).attempts.is_empty());
    }
}

#[test]
fn a_compaction_affects_its_own_thread_and_a_resumption_all_threads() {
    let mut script = EventScript::default();
    script.answered(1, "a", 0);
    script.answered_as(2, &answer_of("a", "agent"));
    script.compacted(3, Some("agent"));
    script.resumed(4);
    let told = |call: costs::prompt_cache::Call| (call.compacted, call.resumed);
    assert_eq!(told(script.answered(5, "a", 0)), (false, true));
    assert_eq!(told(script.answered_as(6, &answer_of("a", "agent"))), (true, true));
    assert_eq!(told(script.answered_as(7, &answer_of("a", "agent"))), (false, false), "once");
    script.compacted(8, None);
    assert_eq!(told(script.answered(9, "a", 0)), (true, false));
}

#[test]
fn turns_of_a_sub_agent_are_counted_in_its_own_thread() {
    let mut script = EventScript::default();
    script.started(0, "a", 37);
    script.started_by(1, "w", Some("agent"), 500);
    assert_eq!(script.answered_as(2, &answer_of("w", "agent")).message_bytes, 500);
    assert_eq!(script.answered(3, "a", 0).message_bytes, 37);
}

#[test]
fn the_times_of_a_call_follow_from_its_latency_and_response_start() {
    let times = |latency_ms, began: Option<u64>| {
        let began_at = began.map(Timestamp::from_secs);
        let call = EventScript::default().answered_as(100, &LlmCallCompleted { latency_ms, began_at, ..answer("a") });
        (call.sent, call.began)
    };
    let seconds = |sent, began| (Timestamp::from_secs(sent), Timestamp::from_secs(began));
    assert_eq!(times(Some(30_000), Some(80)), seconds(70, 80));
    assert_eq!(times(Some(30_000), None), seconds(70, 70));
    assert_eq!(times(None, Some(80)), seconds(80, 80));
    assert_eq!(times(None, None), seconds(100, 100));
    // What cannot be is not believed.
    assert_eq!(times(Some(30_000), Some(60)), seconds(70, 70));
    assert_eq!(times(Some(30_000), Some(101)), seconds(70, 70));
    assert_eq!(times(Some(u64::MAX), None), seconds(0, 0));
}

#[test]
fn the_lifetime_is_that_of_the_last_write() {
    use CacheLifetime::{FiveMinutes, OneHour};
    let mut script = EventScript::default();
    let mut lifetime = |event: &LlmCallCompleted| script.answered_as(9, event).lifetime;
    assert_eq!(lifetime(&answer("a")), FiveMinutes, "the default of providers");
    assert_eq!(lifetime(&wrote(0, 5)), OneHour);
    assert_eq!(lifetime(&answer("a")), OneHour);
    assert_eq!(lifetime(&wrote(5, 0)), FiveMinutes);
}

#[test]
fn blocks_are_a_text_the_thinking_and_each_tool_with_its_result() {
    let event = LlmCallCompleted { tool_calls: 3, thinking_blocks: 2, variant: CacheVariant::COMMAND, ..answer("a") };
    let call = EventScript::default().answered_as(9, &event);
    assert_eq!((call.blocks, call.variant, call.total()), (9, CacheVariant::COMMAND, 20_000));
}
