//! Events of older layouts are read as those of today; what they do not say is left open.

use std::borrow::Cow;

use contracts::{
    CacheVariant, Features, Sketch, Tone,
    catalogue::find,
    events::{
        DocumentedEvent, EvalCompleted, LlmCallCompleted, LlmCallFailed, SessionCompacted, ToolCalled, TurnStarted,
    },
};
use event_core::{CodecError, EventId, NewEvent, Timestamp};

/// The example of a layout, as the log keeps it.
fn logged(kind: &'static str, version: u16) -> NewEvent {
    let id = EventId::derive(&[kind.as_bytes()]);
    let payload = (find(kind, version).unwrap().sample)().unwrap();
    let kind = Cow::Borrowed(kind);
    NewEvent { id, at: Timestamp(7), correlation: id, causation: None, kind, version, payload: payload.into() }
}

#[test]
fn a_call_of_the_first_layout_is_plain_and_says_nothing_of_lifetime_or_beginning() {
    let read = logged("llm.call_completed", 1).read::<LlmCallCompleted>().unwrap().unwrap();
    let today = LlmCallCompleted::sample();
    assert_eq!(
        read,
        LlmCallCompleted { variant: CacheVariant::PLAIN, cache_lifetime: None, began_at: None, ..today.clone() }
    );
    assert_eq!(logged("llm.call_completed", 2).read::<LlmCallCompleted>().unwrap(), Some(today));
}

#[test]
fn a_failed_call_of_the_first_layout_is_the_planners_and_used_nothing_that_is_known() {
    let read = logged("llm.call_failed", 1).read::<LlmCallFailed>().unwrap().unwrap();
    let today = LlmCallFailed::sample();
    assert_eq!(read, LlmCallFailed { usage: None, cost: None, raw_usage: None, ..today.clone() });
    assert_eq!(logged("llm.call_failed", 2).read::<LlmCallFailed>().unwrap(), Some(today));
}

#[test]
fn a_compaction_of_the_first_layout_is_one_of_the_main_line() {
    let read = logged("session.compacted", 1).read::<SessionCompacted>().unwrap().unwrap();
    assert_eq!(read, SessionCompacted { thread: None, ..SessionCompacted::sample() });
}

#[test]
fn a_turn_of_the_first_layout_has_no_words_and_a_plain_tone() {
    let read = logged("turn.started", 1).read::<TurnStarted>().unwrap().unwrap();
    let today = TurnStarted::sample();
    let features = Features { workload: None, sketch: Sketch::default(), text: None, ..today.features.clone() };
    assert_eq!(read, TurnStarted { features, tone: Tone::Plain, request: None, ..today });
}

#[test]
fn a_tool_of_the_first_layout_wrote_and_took_back_nothing_that_is_known() {
    let read = logged("tool.called", 1).read::<ToolCalled>().unwrap().unwrap();
    assert_eq!(read, ToolCalled { files: Vec::new(), reverts: false, ..ToolCalled::sample() });
}

#[test]
fn a_verdict_of_the_first_layout_is_about_whoever_took_the_turn_and_shows_no_signals() {
    let read = logged("eval.completed", 1).read::<EvalCompleted>().unwrap().unwrap();
    assert_eq!(read, EvalCompleted { model: None, signals: Vec::new(), ..EvalCompleted::sample() });
}

#[test]
fn a_layout_that_never_was_is_refused_by_its_version() {
    for version in [0, 3] {
        let event = NewEvent { version, ..logged("llm.call_completed", 1) };
        let error = event.read::<LlmCallCompleted>().unwrap_err();
        assert!(matches!(error, CodecError::Version { found, known: 2, .. } if found == version), "{error}");
    }
}

#[test]
fn a_turn_of_the_second_layout_came_over_no_wire() {
    let read = logged("turn.started", 2).read::<TurnStarted>().unwrap().unwrap();
    assert_eq!(read, TurnStarted { request: None, ..TurnStarted::sample() });
}
