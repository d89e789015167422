//! Provider failures: retries, fallbacks, error responses, and no second attempt after the first byte.

use std::time::Duration;

use contracts::events::{
    ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, ProviderUnavailable, RouteFallback, TurnStarted,
    TurnStatus,
};
use engine::last_decision;
use mock_upstream::{ConnectionEnd, Failure, Fault, ResponseState};
use what_if::{Range, replay};

use crate::support::{Wish, World, canned, message, streamed};

/// A rule chooses opus; the default is sonnet.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\nrules:\n  - {name: best, when: {}, use: opus}\n";
const OPUS: &str = "claude-opus-5-5";

const fn status(status: u16) -> Fault {
    Fault::Status { status, retry_after: None }
}

#[test]
fn a_busy_provider_is_asked_again_within_the_call() {
    let world = World::new(POLICY);
    let soon = Fault::Status { status: 429, retry_after: Some("0".to_owned()) };
    world.mock.fail(Failure::times(2, soon));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), world.mock.count()), (200, 3));
    world.ended(1);
    assert!(world.events::<LlmCallFailed>().is_empty(), "the call went well in the end");
}

#[test]
fn a_model_that_fails_before_its_first_byte_gives_way_and_that_is_a_recorded_step() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::always(status(529)).for_model(OPUS));
    let answer = world.post("/v1/messages", &[], &streamed("turnwise", "hello"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("x-turnwise-model"), "anthropic:claude-sonnet-5-5");
    assert_eq!(answer.header("x-turnwise-fallbacks"), "1");
    world.ended(1);
    let failed = &world.events::<LlmCallFailed>()[0];
    assert_eq!((failed.class, failed.status, failed.retries), (ErrorClass::Overloaded, Some(529), 2));
    let step = &world.events::<RouteFallback>()[0];
    assert_eq!(step.failed[0].model.as_str(), "anthropic:claude-opus-5-5");
    let rejected = step.decision.chain.iter().find_map(|entry| entry.failure.as_ref()).unwrap();
    assert_eq!(rejected.name(), "just_failed");
    assert_eq!(world.events::<LlmCallCompleted>()[0].model.as_str(), "anthropic:claude-sonnet-5-5");
}

#[test]
fn a_step_is_told_by_why_and_comes_out_the_same_when_it_is_made_again_from_the_log() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::always(status(529)).for_model(OPUS));
    world.post("/v1/messages", &[], &message("turnwise", "hello"));
    world.ended(1);
    let insight = last_decision(&*world.log).unwrap();
    assert_eq!(insight.model().unwrap().as_str(), "anthropic:claude-sonnet-5-5");
    let text = insight.text(&*world.texts);
    let (decided, step) = text.split_once("\nStep 1 · ").unwrap();
    assert!(decided.contains("Chose: anthropic:claude-opus-5-5"), "{text}");
    assert!(step.contains("anthropic:claude-opus-5-5 failed (overloaded)"), "{text}");
    assert!(step.contains("Chose: anthropic:claude-sonnet-5-5"), "{text}");
    let replayed = replay(&*world.log, &*world.texts, &Range::default(), |_| {}).unwrap();
    assert_eq!((replayed.decisions, replayed.steps, replayed.divergence), (1, 1, None));
}

#[test]
fn when_nobody_answers_the_client_is_told_in_its_own_api_who_was_tried() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::always(Fault::Status { status: 529, retry_after: Some("17".to_owned()) }));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (529, "17"));
    let body = answer.json();
    assert_eq!((body["type"].as_str(), body["error"]["type"].as_str()), (Some("error"), Some("api_error")));
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains(OPUS) && message.contains("claude-sonnet-5-5") && message.contains("17 s"), "{message}");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
    // The same in another API.
    let chat = serde_json::json!({ "model": "turnwise", "messages": [{ "role": "user", "content": "hello" }] });
    let answer = world.post("/v1/chat/completions", &[], &chat);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("no model answered"), "{}", answer.body);
}

#[test]
fn a_request_that_the_provider_refuses_is_no_reason_to_ask_another() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::once(status(400)));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.status.as_u16(), world.mock.count()), (400, 1));
    assert_eq!(answer.json()["type"], "error", "the provider's own words: {}", answer.body);
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
    assert!(world.events::<RouteFallback>().is_empty());
}

#[test]
fn an_answer_that_breaks_off_is_told_and_nobody_else_is_asked() {
    for (how, events) in [(ConnectionEnd::Reset, 4), (ConnectionEnd::Close, 3), (ConnectionEnd::End, 5)] {
        let world = World::new(POLICY);
        world.mock.fail(Failure::once(Fault::Cut { after: events, how }));
        let answer = world.post("/v1/messages", &[], &streamed("turnwise", "LONG:20"));
        assert!(answer.body.contains("event: error"), "{how:?}: {}", answer.body);
        assert!(!answer.body.contains("message_stop"), "{how:?}");
        assert_eq!(world.ended(1)[0].status, TurnStatus::Failed, "{how:?}");
        assert_eq!(world.mock.count(), 1, "{how:?}");
        assert_eq!(world.events::<LlmCallFailed>()[0].class, ErrorClass::Network, "{how:?}");
    }
}

#[test]
fn an_answer_in_one_piece_that_breaks_off_is_given_by_the_next_model() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::once(Fault::Cut { after: 1, how: ConnectionEnd::Close }));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert_eq!((answer.cut, answer.header("x-turnwise-fallbacks")), (false, "1"), "{answer:?}");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Completed);
    assert_eq!(world.events::<LlmCallFailed>()[0].class, ErrorClass::Network);
}

#[test]
fn half_an_event_is_withheld_and_an_error_event_follows() {
    const HALF: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
                        event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: ping\ndata: {\"type\":\"pi";
    let world = World::wished(&Wish { policy: POLICY, upstream: Some(canned(HALF)), ..Wish::default() });
    let answer = world.post("/v1/messages", &[], &streamed("turnwise", "hello"));
    assert!(!answer.cut && !answer.body.contains("ping") && answer.body.contains("event: error"), "{answer:?}");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
}

#[test]
fn an_answer_in_one_piece_that_says_it_goes_on_later_is_whole() {
    const QUEUED: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 53\r\n\r\n\
                          {\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"queued\"}";
    let policy = "schema_version: 1\nglobal_default: openai:gpt-5.5\n";
    let world = World::wished(&Wish { policy, upstream: Some(canned(QUEUED)), ..Wish::default() });
    let asked = serde_json::json!({ "model": "turnwise", "input": "hello", "background": true });
    let answer = world.post("/v1/responses", &[], &asked);
    assert!(!answer.cut && answer.body.ends_with("\"queued\"}"), "{answer:?}");
    assert_eq!(world.ended(1)[0].status, TurnStatus::Completed);
    assert!(world.events::<LlmCallFailed>().is_empty());
}

#[test]
fn one_client_s_key_that_is_refused_is_no_failure_of_the_provider() {
    let world = World::wished(&Wish { policy: POLICY, keyless: true, ..Wish::default() });
    world.mock.fail(Failure::once(status(401)));
    let of = |key| world.post("/v1/messages", &[("x-api-key", key)], &message("turnwise", "hello"));
    let (expired, fine) = (of("sk-expired"), of("sk-fine"));
    assert_eq!((expired.status.as_u16(), fine.status.as_u16()), (401, 200), "{}", fine.body);
    assert_eq!(expired.json()["type"], "error", "the provider's own words: {}", expired.body);
    world.ended(2);
    assert_eq!(world.events::<LlmCallFailed>()[0].class, ErrorClass::ClientKey);
    assert!(world.events::<ProviderUnavailable>().is_empty());
}

#[test]
fn asking_again_later_is_advised_only_where_a_model_that_is_out_could_take_the_request() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    world.mock.fail(Failure::always(status(529)));
    for number in 0..5 {
        world.post("/v1/messages", &[], &message("turnwise", &format!("hello {number}")));
    }
    world.ended(5);
    assert!(!world.events::<ProviderUnavailable>().is_empty());
    let ask = |messages| {
        let body = serde_json::json!({ "model": "turnwise", "messages": messages });
        world.post("/v1/chat/completions", &[], &body).status
    };
    assert_eq!(ask(serde_json::json!([{ "role": "user", "content": "hello" }])), 503);
    // Anthropic's API rejects a request without messages.
    assert_eq!(ask(serde_json::json!([])), 400);
}

#[test]
fn whoever_leaves_at_whatever_moment_leaves_no_turn_open() {
    let world = World::new(POLICY);
    for number in 0..40 {
        world.mock.fail(Failure::once(status(529)).for_model(OPUS));
        let body = streamed("turnwise", &format!("question {number}"));
        world.post_and_leave_after("/v1/messages", &body, Duration::from_micros(150 * number));
    }
    let started = || world.events::<TurnStarted>().len();
    // When this response arrives, the earlier ones have arrived too.
    world.post("/v1/messages", &[], &message("turnwise", "the last"));
    let ended = world.ended(started());
    assert_eq!(ended.len(), started());
    assert_eq!(world.events::<LlmCallStarted>().len(), {
        world.events::<LlmCallCompleted>().len() + world.events::<LlmCallFailed>().len()
    });
}

#[test]
fn an_error_inside_a_stream_passes_and_is_a_failure() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::once(Fault::ErrorEvent(3)));
    let answer = world.post("/v1/messages", &[], &streamed("turnwise", "LONG:20"));
    assert_eq!(answer.body.matches("event: error").count(), 1, "{}", answer.body);
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
    assert_eq!(world.mock.count(), 1);
}

#[test]
fn a_stream_that_falls_silent_is_ended() {
    let world = World::wished(&crate::support::Wish { policy: POLICY, idle_ms: Some(200), ..Default::default() });
    world.mock.fail(Failure::once(Fault::Stall(3)));
    let answer = world.post("/v1/messages", &[], &streamed("turnwise", "LONG:20"));
    assert!(answer.body.contains("event: error"), "{}", answer.body);
    assert_eq!(world.ended(1)[0].status, TurnStatus::Failed);
    assert_eq!(world.events::<LlmCallFailed>()[0].class, ErrorClass::Timeout);
}

#[test]
fn a_client_that_goes_away_cancels_the_call_and_is_no_failure_of_the_provider() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::once(Fault::SlowChunks(30)));
    world.post_and_leave("/v1/messages", &streamed("turnwise", "LONG:200"));
    assert_eq!(world.ended(1)[0].status, TurnStatus::Cancelled);
    let failed = &world.events::<LlmCallFailed>()[0];
    assert_eq!(failed.class, ErrorClass::Cancelled);
    assert!(
        failed.usage.is_some_and(|usage| 0 < usage.input) && failed.cost.is_some(),
        "what was used is paid: {failed:?}"
    );
    // The provider noticed: its stream was cut off.
    for _ in 0..200 {
        if world.mock.requests().last().unwrap().ended == ResponseState::Cancelled {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(world.mock.requests().last().unwrap().ended, ResponseState::Cancelled, "the provider went on");
}

#[test]
fn a_model_that_fails_again_and_again_is_dropped_until_it_has_recovered() {
    let world = World::new(POLICY);
    world.mock.fail(Failure::always(status(500)).for_model(OPUS));
    for number in 0..6 {
        let answer = world.post("/v1/messages", &[], &message("turnwise", &format!("hello {number}")));
        assert_eq!(answer.status, 200);
    }
    // Five failures made it unavailable, so the sixth turn did not call it.
    assert_eq!(world.events::<LlmCallFailed>().len(), 5);
    let answer = world.send(&hyper::Method::GET, "/api/status", &[], "").json();
    let opus = answer["models"].as_array().unwrap().iter().find(|model| model["id"] == "anthropic:claude-opus-5-5");
    assert!(opus.unwrap()["out_until"].is_string());
}
