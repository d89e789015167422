//! Lists of candidates after failures, the time limit of refusals, and `gateway.fallback` (decisions D36, D43).

use std::time::{Duration, Instant};

use contracts::events::{LlmCallFailed, ProviderUnavailable, RouteFallback, TurnStatus};
use mock_upstream::{Failure, Fault};

use crate::{
    support::{SESSION, Wish, World, message, with_tool_result},
    turns::tool_turn,
};

const LIST: &str = "schema_version: 1\nrules: [{name: best, when: {}, use: [opus, sonnet, haiku]}]\n";

const fn overloaded() -> Fault {
    Fault::Status { status: 529, retry_after: None }
}

/// Returns the message of an error response in Anthropic's API.
fn error_message(answer: &crate::support::Answered) -> String {
    answer.json()["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn d43_after_failures_the_next_models_of_the_list_are_tried_in_order() {
    let world = World::new(LIST);
    for model in ["claude-opus-5-5", "claude-sonnet-5-5"] {
        world.mock.fail(Failure::always(overloaded()).for_model(model));
    }
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!(answer.header("x-turnwise-model"), "anthropic:claude-haiku-5-5", "{}", answer.body);
    assert_eq!((answer.header("x-turnwise-fallbacks"), answer.header("x-turnwise-policy")), ("2", "CONFIGURED_RULES"));
    world.ended(1);
    let steps = world.events::<RouteFallback>();
    let last = steps.last().unwrap().decision.winner().unwrap();
    let attempts: Vec<_> =
        last.attempts.iter().map(|attempt| (attempt.candidate.model(), attempt.failure.name())).collect();
    assert_eq!(attempts, [("claude-opus-5-5", "just_failed"), ("claude-sonnet-5-5", "just_failed")]);
    let why = engine::last_decision(&*world.log).unwrap().text(&*world.texts);
    assert!(why.contains("claude-opus-5-5 rejected (just_failed: overloaded)"), "{why}");
}

#[test]
fn d43_if_every_model_refuses_the_client_is_told_all_of_them_and_not_to_repeat() {
    let world = World::new(LIST);
    world.mock.fail(Failure::always(overloaded()));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), world.mock.count()), (529, 9), "three models, two retries each");
    assert_eq!(answer.header("x-should-retry"), "false");
    // Claude Code repeats an `overloaded_error` in spite of the header.
    assert_eq!(answer.json()["error"]["type"], "api_error");
    let text = error_message(&answer);
    for model in ["opus-5-5", "sonnet-5-5", "haiku-5-5"] {
        assert!(text.contains(&format!("anthropic:claude-{model} (overloaded)")), "{text}");
    }
    assert!(!text.contains("No other model was tried"), "{text}");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
}

#[test]
fn d43_refusals_end_with_an_answer_within_their_time_limit() {
    let world = World::wished(&Wish { policy: LIST, refusals_ms: Some(300), ..Wish::default() });
    // The provider asks to repeat the request at once, again and again.
    world.mock.fail(Failure::always(Fault::Status { status: 529, retry_after: Some("0".to_owned()) }));
    let began = Instant::now();
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    let elapsed = began.elapsed();
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    assert_eq!((answer.status.as_u16(), answer.header("x-should-retry")), (529, "false"));
    let text = error_message(&answer);
    assert!(text.contains("No other model was tried after 0.3 s"), "{text}");
    let failed = world.events::<LlmCallFailed>();
    assert_eq!(failed.len(), 1, "the time was spent on the first model");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
}

#[test]
fn a_refusal_of_the_only_model_is_the_providers_own_and_may_be_repeated() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    world.mock.fail(Failure::always(overloaded()));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), answer.header("x-should-retry")), (529, ""));
    assert!(!answer.body.contains("turnwise:"), "{}", answer.body);
}

#[test]
fn during_an_outage_without_another_model_the_client_is_told_not_to_repeat() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    world.mock.fail(Failure::always(overloaded()));
    for number in 0..5 {
        world.post("/v1/messages", &[], &message("turnwise", &format!("hello {number}")));
    }
    world.ended(5);
    assert!(!world.events::<ProviderUnavailable>().is_empty());
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello again"));
    assert_eq!((answer.status.as_u16(), answer.header("x-should-retry")), (503, "false"), "{}", answer.body);
}

/// Starts a gateway whose policy has this value of `gateway.fallback`.
fn with_fallback(value: &str) -> World {
    World::new(&format!(
        "schema_version: 1\nglobal_default: [opus, sonnet]\ngateway: {{client_model: auto, fallback: {value}}}\n"
    ))
}

#[test]
fn d36_never_leaves_a_turn_with_its_model() {
    let world = with_fallback("never");
    world.mock.fail(Failure::always(overloaded()).for_model("claude-opus-5-5"));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), world.mock.count()), (529, 3));
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
    assert!(world.events::<RouteFallback>().is_empty());
}

#[test]
fn d36_turn_start_falls_back_before_the_first_response_only_and_any_always() {
    for (value, at_start, later) in [("turn_start", "1", 529), ("any", "1", 200)] {
        let world = with_fallback(value);
        world.mock.fail(Failure::times(3, overloaded()).for_model("claude-opus-5-5"));
        let fresh = world.post("/v1/messages", &[], &message("turnwise", "hello"));
        assert_eq!((fresh.status.as_u16(), fresh.header("x-turnwise-fallbacks")), (200, at_start), "{value}");

        let body = tool_turn("TOOLCALL:Bash:{\"command\":\"x\"}");
        let first = world.post("/v1/messages", &SESSION, &body);
        assert_eq!(first.header("x-turnwise-model"), "anthropic:claude-opus-5-5", "{value}: {}", first.body);
        world.mock.fail(Failure::times(3, overloaded()).for_model("claude-opus-5-5"));
        let second = world.post("/v1/messages", &SESSION, &with_tool_result(&body, &first.json()));
        assert_eq!(second.status.as_u16(), later, "{value}: {}", second.body);
    }
}

#[test]
fn the_status_names_of_google_are_those_of_the_mock_provider() {
    for status in 300..=599 {
        let of_mock = mock_upstream::gemini_status(hyper::StatusCode::from_u16(status).unwrap());
        assert_eq!(wire::gemini_status(status), of_mock, "{status}");
    }
}
