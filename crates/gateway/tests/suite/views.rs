//! A projection of a third party on the bus of a running gateway.

use contracts::{ModelId, events::LlmCallCompleted};
use event_bus::{Expected, View};
use event_core::Timestamp;
use slow_calls::{SlowCalls, SlowCount};
use test_events::new_event;

use crate::support::{World, message};

#[test]
fn a_projection_of_another_crate_follows_a_running_gateway() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    world.post("/v1/messages", &[], &message("turnwise", "before the view"));
    let bus = world.gateway.bus();
    let slow: View<SlowCalls> = world.run(bus.project()).unwrap();
    world.post("/v1/messages", &[], &message("turnwise", "after the view"));
    world.ended(2);
    let model = ModelId::try_from("anthropic:claude-sonnet-5-5").unwrap();
    let call = LlmCallCompleted { model: model.clone(), latency_ms: Some(7_000), ..LlmCallCompleted::sample() };
    let event = new_event(0, Timestamp(1), &call);
    let appended = world.run(bus.append(Expected::Any, vec![event])).unwrap();
    world.run(slow.wait_for(appended.head)).unwrap();
    let seen = slow.read(|slow, position| (slow.count(&model), position));
    assert_eq!(seen, (SlowCount { calls: 1, slowest_ms: 7_000 }, appended.head), "the calls of the mock were fast");
}
