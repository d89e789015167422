//! Responses of every API that are not streamed, converted to every other one.

use contracts::WireApi;
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::{ConvertError, convert_response};

use super::{
    client, provider,
    story::{Story, story},
    streams::pairs,
};

/// Converts a response body.
fn converted((from, to): (WireApi, WireApi), body: &Value) -> Result<Vec<u8>, ConvertError> {
    convert_response(from, to, "client-model", 0, body.to_string().as_bytes())
}

/// Returns the response in the order that both APIs preserve; chat completions have no order of texts and calls.
fn in_order((from, to): (WireApi, WireApi), story: &Story) -> Story {
    if from == WireApi::OpenAiChat || to == WireApi::OpenAiChat { story.sorted() } else { story.flowing() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_client_understands_a_whole_answer(pair in pairs(), story in story()) {
        let told = client::read_whole(pair.1, &converted(pair, &provider::whole(pair.0, &story)).unwrap());
        prop_assert_eq!(in_order(pair, &told), in_order(pair, &story.told_in(pair.0).shown_in(pair.1)));
    }
}

/// The creation time of the response is preserved, and the given time is used if it has none.
#[test]
fn an_answer_keeps_its_provider_s_time_and_gets_ours_where_it_has_none() {
    let created = |from, to, body: Value, place: &str| {
        let told = convert_response(from, to, "m", 1_795_000_000, body.to_string().as_bytes()).unwrap();
        serde_json::from_slice::<Value>(&told).unwrap()[place].as_u64()
    };
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "hi"}], "usage": {"input_tokens": 1, "output_tokens": 1},
    });
    let (anthropic, chat, responses) = (WireApi::AnthropicMessages, WireApi::OpenAiChat, WireApi::OpenAiResponses);
    assert_eq!(created(anthropic, chat, message.clone(), "created"), Some(1_795_000_000));
    assert_eq!(created(anthropic, responses, message, "created_at"), Some(1_795_000_000));
    let completion = json!({
        "id": "c", "object": "chat.completion", "created": 7, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}],
    });
    assert_eq!(created(chat, responses, completion, "created_at"), Some(7));
}

#[test]
fn an_answer_that_is_an_error_is_not_said_as_an_answer() {
    let check = |from, to, body: Value| assert_eq!(converted((from, to), &body), Err(ConvertError::ProviderFailed));
    let (anthropic, chat) = (WireApi::AnthropicMessages, WireApi::OpenAiChat);
    check(anthropic, chat, json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    check(chat, anthropic, json!({"error": {"message": "busy", "code": 503}}));
    check(WireApi::OpenAiResponses, chat, json!({"status": "failed", "error": {"code": "server_error"}, "output": []}));
    check(WireApi::Gemini, chat, json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}));
}

#[test]
fn what_is_no_answer_is_malformed() {
    for (from, to) in [(0, 1), (1, 0), (2, 0), (3, 0)].map(|(from, to)| (WireApi::ALL[from], WireApi::ALL[to])) {
        for body in ["", "[", "{}", "7", "null", r#"{"content":7,"choices":7,"output":7,"candidates":7}"#] {
            let converted = convert_response(from, to, "client-model", 0, body.as_bytes());
            let is_refused = matches!(converted, Err(ConvertError::Malformed { .. } | ConvertError::EndedEarly));
            assert!(is_refused, "{from} {body}: {converted:?}");
        }
    }
}

/// An incomplete tool call is omitted if the response was cut off, and an error otherwise.
#[test]
fn half_a_call_is_dropped_of_a_whole_answer_that_was_cut_off() {
    let call =
        json!({"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{\"command\": \"ec"}});
    let answer = |reason: &str| {
        let message = json!({"role": "assistant", "content": "Running.", "tool_calls": [call]});
        json!({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message, "finish_reason": reason}]})
    };
    for to in [WireApi::AnthropicMessages, WireApi::Gemini] {
        let cut_off = converted((WireApi::OpenAiChat, to), &answer("length")).unwrap();
        assert_eq!(client::read_whole(to, &cut_off).said, [super::story::Said::Text("Running.".to_owned())]);
        let broken = converted((WireApi::OpenAiChat, to), &answer("tool_calls"));
        assert!(matches!(broken, Err(ConvertError::Malformed { .. })));
    }
}
