//! Tests of the projection on constructed events, without a log.

use event_core::{NewEvent, Position, Projected, Recorded, Timestamp};
use slow_calls::{SlowCalls, SlowCount};

use crate::events::{call, model, other};

/// Applies events at positions from 1.
fn fold(events: Vec<NewEvent>) -> Projected<SlowCalls> {
    let mut slow = Projected::<SlowCalls>::default();
    for (number, event) in (1..).zip(events) {
        slow.advance(&Recorded::new(Position(number), Timestamp(number), event)).unwrap();
    }
    slow
}

#[test]
fn calls_longer_than_five_seconds_are_counted_by_model() {
    let slow = fold(vec![
        call(1, "anthropic:claude-opus-4-7", Some(5_001)),
        call(2, "anthropic:claude-opus-4-7", Some(12_000)),
        call(3, "anthropic:claude-opus-4-7", Some(5_000)),
        call(4, "openai:gpt-5", Some(60_000)),
        call(5, "openai:gpt-5-mini", Some(800)),
    ]);
    let slow = slow.state();
    assert_eq!(slow.count(&model("anthropic:claude-opus-4-7")), SlowCount { calls: 2, slowest_ms: 12_000 });
    assert_eq!(slow.count(&model("openai:gpt-5")), SlowCount { calls: 1, slowest_ms: 60_000 });
    assert_eq!(slow.models().count(), 2);
}

#[test]
fn other_events_and_calls_of_unknown_duration_are_ignored() {
    let slow = fold(vec![other(1), call(2, "openai:gpt-5", None), other(3)]);
    assert_eq!(slow.state(), &SlowCalls::default());
    assert_eq!(slow.position(), Position(3));
}

#[test]
fn checkpoint_restores_the_state() {
    let original = fold(vec![call(1, "openai:gpt-5", Some(9_000))]);
    let saved = original.checkpoint().unwrap();
    let resumed: Projected<SlowCalls> = Projected::resume(Some(&saved), Position(1));
    assert_eq!(resumed, original);
}
