//! Signed thinking is sent only to the model that signed it; for another model it is dropped (decision D31).

use contracts::{
    AuxiliaryCall, Requirement, Thread,
    events::{LlmCallCompleted, LlmCallStarted, RouteDecided, TurnStarted},
};
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    support::{SESSION, World, message},
    turns::title,
};

const OPUS: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: claude-opus-4-8\n";

/// Returns the next request of a conversation, after a response.
fn after(body: &Value, answer: &Value, text: &str) -> Value {
    let mut body = body.clone();
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": answer["content"] }));
    messages.push(json!({ "role": "user", "content": text }));
    body
}

#[test]
fn with_keep_thinking_a_session_stays_with_the_model_that_signed_its_thinking() {
    let world = World::new(OPUS);
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    assert!(first.body.contains("sig:claude-opus-4-8"), "{}", first.body);
    world.ended(1);
    world.set_policy("schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: auto, keep_thinking: true}\nrules:\n  - {name: back, when: {message_matches: again}, use: claude-opus-4-8}\n");
    let refused = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "and now sonnet"));
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("thinking_of_another_model"), "{}", refused.body);
    assert_eq!(world.mock.count(), 1, "nothing was sent");
    let again = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "think again"));
    assert_eq!((again.status.as_u16(), again.header("x-turnwise-model")), (200, "anthropic:claude-opus-4-8"));
}

#[test]
fn a_title_written_by_a_thinking_model_does_not_lock_the_conversation() {
    let world = World::new(&OPUS.replace("auto}", "auto, keep_thinking: true}"));
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    let named = world.post("/v1/messages", &SESSION, &title("THINK about it"));
    assert!(named.body.contains("sig:claude-haiku-5-5"), "{}", named.body);
    world.ended(2);
    let next = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "go on"));
    assert_eq!(
        (next.status.as_u16(), next.header("x-turnwise-model")),
        (200, "anthropic:claude-opus-4-8"),
        "{}",
        next.body
    );
    world.ended(3);
    let title = Thread::Auxiliary(AuxiliaryCall::Title);
    let expected = [Thread::Main, title, Thread::Main];
    let turns = world.events::<TurnStarted>().into_iter().map(|turn| turn.thread);
    assert_eq!(turns.collect::<Vec<_>>(), expected);
    let sent = world.events::<LlmCallStarted>().into_iter().map(|call| call.thread);
    assert_eq!(sent.collect::<Vec<_>>(), expected);
    let answered = world.events::<LlmCallCompleted>().into_iter().map(|call| call.thread);
    assert_eq!(answered.collect::<Vec<_>>(), expected);
}

#[test]
fn by_default_earlier_thinking_is_dropped_for_another_model_and_a_header_reports_it() {
    let world = World::new(OPUS);
    let body = message("turnwise", "THINK about it");
    let first = world.post("/v1/messages", &SESSION, &body);
    world.ended(1);
    world.set_policy("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let next = world.post("/v1/messages", &SESSION, &after(&body, &first.json(), "and now sonnet"));
    assert_eq!(next.status, 200, "{}", next.body);
    assert_eq!(next.header("x-turnwise-adapted"), "earlier_thinking");
    assert!(!world.last_sent().to_string().contains("sig:"), "{}", world.last_sent());
    // The log, `why` and the page report it as well (decision D31).
    let calls = world.events::<LlmCallStarted>();
    assert_eq!(calls.last().unwrap().adapted, [Requirement::EarlierThinking]);
    let turn = next.header("x-turnwise-turn");
    let view = world.send(&Method::GET, &format!("/turns/{turn}"), &[], "").json();
    assert_eq!(view["adapted"], json!(["earlier_thinking"]));
    assert!(view["why"].as_str().unwrap().ends_with("\nAdapted to the model: earlier_thinking\n"), "{view}");
}

#[test]
fn thinking_of_an_unknown_signer_is_taken_for_the_requested_model_s_and_not_sent_to_another() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "sig:claude-opus-4-8" });
    let body = json!({ "model": "claude-opus-4-8", "max_tokens": 100, "messages": [
        { "role": "user", "content": "first" },
        { "role": "assistant", "content": [thinking, { "type": "text", "text": "so" }] },
        { "role": "user", "content": "second" },
    ]});
    let model_and_adapted = |expected: (&str, &str)| {
        let answer = world.post("/v1/messages", &SESSION, &body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!((answer.header("x-turnwise-model"), answer.header("x-turnwise-adapted")), expected);
    };
    model_and_adapted(("anthropic:claude-sonnet-5-5", "earlier_thinking"));
    assert!(!world.last_sent().to_string().contains("sig:"), "{}", world.last_sent());
    world.ended(1);
    world.set_policy(
        "schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: auto, keep_thinking: true, last_resort: requested}\n",
    );
    model_and_adapted(("anthropic:claude-opus-4-8", ""));
    assert!(world.last_sent().to_string().contains("sig:"), "{}", world.last_sent());
    world.ended(2);
    let decided = world.events::<RouteDecided>();
    let text = engine_text(decided.last().unwrap());
    assert!(text.contains("thinking_of_another_model"), "{text}");
}

fn engine_text(decided: &RouteDecided) -> String {
    router_core::why(None, &decided.decision)
}
