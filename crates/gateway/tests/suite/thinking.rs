//! The requested effort of thinking, for models that do not support it.

use contracts::events::RouteDecided;
use mock_upstream::Failure;
use serde_json::{Value, json};

use crate::support::{SESSION, World, message};

const MODEL: &str = "x-turnwise-model";

/// Returns a request with the thinking parameters that Claude Code sends in every request.
fn adaptive(text: &str) -> Value {
    let mut body = message("claude-opus-4-8", text);
    body["thinking"] = json!({ "type": "adaptive" });
    body["output_config"] = json!({ "effort": "high" });
    body["context_management"] = json!({ "edits": [{ "type": "clear_thinking_20251015", "keep": "all" }] });
    body
}

#[test]
fn a_model_without_efforts_is_passed_over_for_one_that_has_them_and_the_chain_says_why() {
    let rule = "rules:\n  - {name: small, when: {message_matches: hello}, use: claude-haiku-4-5}\n";
    let world = World::new(&format!(
        "schema_version: 1\nglobal_default: sonnet\ngateway: {{client_model: auto, adapt: []}}\n{rule}"
    ));
    let answer = world.post("/v1/messages", &SESSION, &adaptive("hello"));
    assert_eq!(answer.header(MODEL), "anthropic:claude-sonnet-5-5", "{}", answer.body);
    assert_eq!(world.last_sent()["output_config"], json!({ "effort": "high" }), "who takes it is told");
    world.ended(1);
    let why = router_core::why(None, &world.events::<RouteDecided>()[0].decision);
    assert!(
        why.contains("the model does not support effort") && why.contains("add `effort` to `gateway.adapt`"),
        "{why}"
    );
    // The same without these parameters.
    let answer = world.post("/v1/messages", &SESSION, &message("claude-opus-4-8", "hello"));
    assert_eq!(answer.header(MODEL), "anthropic:claude-haiku-4-5");
}

#[test]
fn by_default_an_effort_is_dropped_for_a_model_without_and_no_other_field_changes() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: claude-haiku-4-5\n");
    let answer = world.post("/v1/messages", &SESSION, &adaptive("hello"));
    assert_eq!((answer.status.as_u16(), answer.header(MODEL)), (200, "anthropic:claude-haiku-4-5"), "{}", answer.body);
    assert_eq!(answer.header("x-turnwise-adapted"), "effort");
    assert_eq!(world.last_sent(), message("claude-haiku-4-5", "hello"));
    let codex = json!({ "model": "gpt-5", "input": "hello", "reasoning": { "effort": "low" }, "store": false });
    let answer = world.post("/v1/responses", &[], &codex);
    assert_eq!((answer.status.as_u16(), answer.header("x-turnwise-adapted")), (200, "effort"), "{}", answer.body);
    assert_eq!(world.last_sent().get("output_config"), None);
}

#[test]
fn a_budget_of_thinking_is_dropped_for_the_models_that_no_longer_take_one() {
    let mut body = message("claude-haiku-4-5", "hello");
    body["thinking"] = json!({ "type": "enabled", "budget_tokens": 1_024 });
    body["max_tokens"] = json!(4_096);
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let answer = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(answer.header(MODEL), "anthropic:claude-sonnet-5-5", "{}", answer.body);
    assert_eq!(answer.header("x-turnwise-adapted"), "thinking_budget");
    assert_eq!(world.last_sent().get("thinking"), None);
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: claude-opus-4-6\n");
    let answer = world.post("/v1/messages", &SESSION, &body);
    assert_eq!((answer.header(MODEL), answer.header("x-turnwise-adapted")), ("anthropic:claude-opus-4-6", ""));
    assert_eq!(world.last_sent()["thinking"], body["thinking"]);
}

#[test]
fn when_the_model_that_thinks_fails_in_a_tool_loop_no_other_is_shown_its_thinking() {
    let policy = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n\
        rules:\n  - {name: thinker, when: {message_matches: THINK}, use: claude-opus-4-8}\n";
    let world = World::new(policy);
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert!(first.body.contains("sig:claude-opus-4-8"), "{}", first.body);
    world.ended(1);
    let mut next = body;
    let calls = json!([first.json()["content"][0], { "type": "tool_use", "id": "toolu_1", "name": "f", "input": {} }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "toolu_1", "content": "ok" }]);
    let messages = next["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": calls }));
    messages.push(json!({ "role": "user", "content": result }));
    next["tools"] = json!([{ "name": "f", "input_schema": { "type": "object" } }]);
    world.mock.fail(Failure::always(Failure::status(529)).for_model("claude-opus-4-8"));
    let answer = world.post("/v1/messages", &SESSION, &next);
    assert_eq!((answer.status.as_u16(), answer.header("x-turnwise-fallbacks")), (529, "1"), "{}", answer.body);
    let sent = world.mock.requests();
    let elsewhere = sent.iter().filter(|request| request.json()["model"] != "claude-opus-4-8");
    assert_eq!(elsewhere.count(), 0, "nobody else was asked");
}
