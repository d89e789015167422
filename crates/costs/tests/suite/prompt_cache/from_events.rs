//! Conversion of events to calls: preceding input, time, and cache lifetime.

use contracts::{
    CacheLifetime, CacheVariant, Thread,
    events::{LlmCallCompleted, TurnStatus},
};
use costs::prompt_cache::PrecedingInput;
use event_core::Timestamp;

use super::{
    story::{Story, answer, answer_of, turn, wrote},
    table::attempt,
};

#[test]
fn the_calls_of_a_turn_stand_after_its_message_and_then_after_its_tools() {
    let mut story = Story::default();
    story.started(0, "a", 37);
    let calls = [story.answered(5, "a", 2), story.answered(9, "a", 0), story.answered(12, "a", 0)];
    assert_eq!(
        calls.each_ref().map(|call| call.after),
        [PrecedingInput::Message, PrecedingInput::Tools, PrecedingInput::Tools]
    );
    assert_eq!(calls.each_ref().map(|call| call.message_bytes), [37, 0, 0]);
    assert!(calls.iter().all(|call| call.turn == turn("a") && call.thread == Thread::Main));
}

#[test]
fn an_answer_without_tools_that_goes_on_still_stands_after_the_message() {
    let mut story = Story::default();
    story.started(0, "a", 37);
    assert_eq!(story.answered(5, "a", 0).after, PrecedingInput::Message);
    assert_eq!(story.answered(9, "a", 0).after, PrecedingInput::Message, "a background task brought news");
}

#[test]
fn the_next_message_stands_after_a_completed_turn_or_after_a_cut_one() {
    let after = |status| {
        let mut story = Story::default();
        story.started(0, "a", 37);
        story.answered(5, "a", 1);
        story.ended(8, "a", status, 1);
        story.started(20, "b", 11);
        story.answered(25, "b", 0).after
    };
    assert_eq!(after(TurnStatus::Completed), PrecedingInput::Message);
    assert_eq!(after(TurnStatus::Cancelled), PrecedingInput::Cut);
    assert_eq!(after(TurnStatus::Failed), PrecedingInput::Cut);
}

#[test]
fn a_turn_that_never_ended_was_cut_if_a_tool_had_not_answered() {
    let after = |tool_calls| {
        let mut story = Story::default();
        story.started(0, "a", 37);
        story.answered(5, "a", tool_calls);
        story.started(20, "b", 11);
        story.answered(25, "b", 0).after
    };
    assert_eq!([after(1), after(0)], [PrecedingInput::Cut, PrecedingInput::Message]);
}

#[test]
fn a_turn_cancelled_before_any_answer_is_an_attempt_of_the_next_call() {
    let mut story = Story::default();
    story.started(0, "a", 37);
    story.ended(7, "a", TurnStatus::Cancelled, 0);
    story.started(20, "b", 11);
    story.ended(22, "b", TurnStatus::Cancelled, 0);
    story.started(30, "c", 5);
    let call = story.answered(35, "c", 0);
    assert_eq!(call.attempts, [attempt(0, 7_000), attempt(20_000, 22_000)]);
    assert_eq!((call.after, call.message_bytes), (PrecedingInput::Message, 5), "nothing was cut");
    assert!(story.answered(39, "c", 0).attempts.is_empty());
}

#[test]
fn a_refused_or_failed_turn_without_an_answer_is_no_attempt() {
    for status in [TurnStatus::Refused, TurnStatus::Failed] {
        let mut story = Story::default();
        story.started(0, "a", 37);
        story.ended(7, "a", status, 0);
        story.started(20, "b", 11);
        assert!(story.answered(25, "b", 0).attempts.is_empty());
    }
}

#[test]
fn compactions_are_told_to_their_own_line_and_resumptions_to_all() {
    let mut story = Story::default();
    story.answered(1, "a", 0);
    story.answered_as(2, &answer_of("a", "agent"));
    story.compacted(3, Some("agent"));
    story.resumed(4);
    let told = |call: costs::prompt_cache::Call| (call.compacted, call.resumed);
    assert_eq!(told(story.answered(5, "a", 0)), (false, true));
    assert_eq!(told(story.answered_as(6, &answer_of("a", "agent"))), (true, true));
    assert_eq!(told(story.answered_as(7, &answer_of("a", "agent"))), (false, false), "once");
    story.compacted(8, None);
    assert_eq!(told(story.answered(9, "a", 0)), (true, false));
}

#[test]
fn a_sub_agents_turn_is_its_own() {
    let mut story = Story::default();
    story.started(0, "a", 37);
    story.started_by(1, "w", Some("agent"), 500);
    assert_eq!(story.answered_as(2, &answer_of("w", "agent")).message_bytes, 500);
    assert_eq!(story.answered(3, "a", 0).message_bytes, 37);
}

#[test]
fn a_call_was_sent_its_latency_before_its_end_and_began_when_that_is_known() {
    let times = |latency_ms, began: Option<u64>| {
        let began_at = began.map(Timestamp::from_secs);
        let call = Story::default().answered_as(100, &LlmCallCompleted { latency_ms, began_at, ..answer("a") });
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
    let mut story = Story::default();
    let mut lifetime = |event: &LlmCallCompleted| story.answered_as(9, event).lifetime;
    assert_eq!(lifetime(&answer("a")), FiveMinutes, "the default of providers");
    assert_eq!(lifetime(&wrote(0, 5)), OneHour);
    assert_eq!(lifetime(&answer("a")), OneHour);
    assert_eq!(lifetime(&wrote(5, 0)), FiveMinutes);
}

#[test]
fn blocks_are_a_text_the_thinking_and_each_tool_with_its_result() {
    let event = LlmCallCompleted { tool_calls: 3, thinking_blocks: 2, variant: CacheVariant::COMMAND, ..answer("a") };
    let call = Story::default().answered_as(9, &event);
    assert_eq!((call.blocks, call.variant, call.total()), (9, CacheVariant::COMMAND, 20_000));
}
