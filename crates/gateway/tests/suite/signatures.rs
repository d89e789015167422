//! Signed thinking is sent only to the model that signed it.

use contracts::events::RouteDecided;
use serde_json::{Value, json};

use crate::support::{SESSION, World, message};

const OPUS: &str = "schema_version: 1\nglobal_default: claude-opus-4-8\n";

/// The next request of a conversation, after a response.
fn after(body: &Value, answer: &Value, text: &str) -> Value {
    let mut body = body.clone();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": answer["content"] }));
    messages.push(json!({ "role": "user", "content": text }));
    body
}

#[test]
fn a_session_with_signed_thinking_stays_with_who_signed_it_and_says_why() {
    let world = World::new(OPUS);
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert!(first.body.contains("sig:claude-opus-4-8"), "{}", first.body);
    world.ended(1);
    world.set_policy("schema_version: 1\nglobal_default: sonnet\nrules:\n  - {name: back, when: {message_matches: again}, use: claude-opus-4-8}\n");
    let refused = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "and now sonnet"));
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("signed_by_another"), "{}", refused.body);
    assert_eq!(world.mock.count(), 1, "nothing was sent");
    let again = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "think again"));
    assert_eq!((again.status.as_u16(), again.header("x-turnwise-model")), (200, "anthropic:claude-opus-4-8"));
}

#[test]
fn where_the_policy_allows_it_the_thinking_is_dropped_and_the_answer_says_so() {
    let world = World::new(OPUS);
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    world.ended(1);
    world.set_policy("schema_version: 1\nglobal_default: sonnet\ngateway: {may_drop: [signatures]}\n");
    let next = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "and now sonnet"));
    assert_eq!(next.status, 200, "{}", next.body);
    assert_eq!(next.header("x-turnwise-dropped"), "signatures");
    assert!(!world.last_sent().to_string().contains("sig:"), "{}", world.last_sent());
}

#[test]
fn thinking_whose_signer_nobody_knows_goes_to_the_model_that_the_client_believes_it_talks_to() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "sig:claude-opus-4-8" });
    let body = json!({ "model": "claude-opus-4-8", "max_tokens": 100, "messages": [
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": [thinking, { "type": "text", "text": "so" }] },
        { "role": "user", "content": "second" },
    ]});
    let answer = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(
        (answer.status.as_u16(), answer.header("x-turnwise-model")),
        (200, "anthropic:claude-opus-4-8"),
        "{}",
        answer.body
    );
    world.ended(1);
    let text = engine_text(&world.events::<RouteDecided>()[0]);
    assert!(text.contains("signed_by_another"), "{text}");
}

fn engine_text(decided: &RouteDecided) -> String {
    router_core::why(None, &decided.decision)
}
