//! Invalid streams and requests: nothing panics, and every stream ends with a complete response or an error.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::{ConversionOptions, ConvertError, StreamConverter, convert_request, convert_response};

use super::{
    client::{self, Ended},
    provider::{self, Sent},
    quirks::quirks,
    story::story,
    streams::{converted, pairs},
};

/// Converts a stream and checks that the client's stream ends, and that the result of the conversion corresponds to its
/// end.
fn ends_loudly(pair: (WireApi, WireApi), chunks: &[&[u8]]) {
    let (out, result) = converted(pair, chunks.iter().copied());
    match client::read(pair.1, &out) {
        Ended::Well(_) => assert_eq!(result, Ok(())),
        Ended::InError => assert!(result.is_err()),
        Ended::Not => panic!("a silent end: {result:?}"),
    }
}

/// Generates a JSON value with names and words of all APIs in random places.
fn odd_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "text",
        "role",
        "user",
        "assistant",
        "model",
        "system",
        "tool",
        "tool_use",
        "tool_result",
        "content",
        "parts",
        "input",
        "output",
        "choices",
        "delta",
        "message",
        "tool_calls",
        "function",
        "name",
        "id",
        "call_id",
        "index",
        "output_index",
        "candidates",
        "functionCall",
        "args",
        "arguments",
        "error",
        "usage",
        "messages",
        "contents",
        "tools",
        "response",
        "item",
        "function_call",
        "response.output_item.added",
        "content_block",
        "content_block_start",
        "content_block_delta",
        "text_delta",
        "partial_json",
        "input_json_delta",
        "finish_reason",
        "source",
        "image",
        "url",
        "output_config",
        "format",
        "schema",
        "json_schema",
        "effort",
        "generationConfig",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        Just(json!(1e300)),
        word.clone().prop_map(Value::from),
        Just(json!("{\"a\":")),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone(), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())),
        ]
    })
}

/// Returns `value` with the value number `place` in it replaced by `by`, in depth-first order. `place` is decremented
/// for each value, so that it can span several documents.
fn damaged(value: &Value, place: &mut usize, by: &Value) -> Value {
    if *place == 0 {
        *place = usize::MAX;
        return by.clone();
    }
    *place = place.wrapping_sub(1);
    match value {
        Value::Array(values) => values.iter().map(|value| damaged(value, place, by)).collect(),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(name, value)| (name.clone(), damaged(value, place, by))).collect())
        }
        value => value.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams_of_odd_events_end_loudly(pair in pairs(), events in prop::collection::vec(odd_value(), 0..6)) {
        let mut stream = Sent::default();
        for event in &events {
            stream.data(event);
        }
        ends_loudly(pair, &[&stream.into_bytes()]);
    }

    #[test]
    fn streams_with_damaged_bytes_do_not_end_silently(
        pair in pairs(), story in story(), mut quirks in quirks(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        let mut stream = provider::stream(pair.0, &story, &mut quirks);
        for (place, byte) in damage {
            let place = place.index(stream.len());
            stream[place] = byte;
        }
        prop_assert!(client::is_ended(pair.1, &converted(pair, [&stream[..]]).0));
    }

    #[test]
    fn events_with_a_damaged_value_do_not_end_silently(
        pair in pairs(), story in story(), mut quirks in quirks(), by in odd_value(), place in 0..400_usize,
    ) {
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let (mut place, mut sent) = (place, Sent::default());
        for line in std::str::from_utf8(&stream).unwrap().lines() {
            let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
            match data {
                Some(data) => sent.data(&damaged(&data, &mut place, &by)),
                None => sent.raw(&format!("{line}\n")),
            }
        }
        let damaged_stream = sent.into_bytes();
        prop_assert!(client::is_ended(pair.1, &converted(pair, [&damaged_stream[..]]).0));
    }

    #[test]
    fn odd_requests_and_answers_do_not_panic(pair in pairs(), body in odd_value()) {
        let may_drop = BTreeSet::from(Requirement::ADAPTABLE);
        let (from, to) = pair;
        let conversion = ConversionOptions { from, to, model: "m", stream: true, may_drop: &may_drop, max_output: 0, accepts_effort: true, newer_chat: true };
        let _ = convert_request(&conversion, body.to_string().as_bytes());
        let _ = convert_response(from, to, "m", 0, body.to_string().as_bytes());
    }
}

/// A stream without a response ends with an error.
#[test]
fn a_stream_without_anything_ends_in_an_error() {
    for (from, to) in WireApi::ALL.into_iter().flat_map(|from| WireApi::ALL.map(|to| (from, to))) {
        for stream in ["", "\n\n", ": ping\n\n", "data:\n\n", "data: {}\n\n", "data: [", "<html>", "data: \u{0}\n\n"] {
            ends_loudly((from, to), &[stream.as_bytes()]);
        }
        ends_loudly((from, to), &[b"data: \xff\xfe\n\n"]);
    }
}

#[test]
fn an_error_of_the_provider_reaches_the_client_with_its_kind() {
    let streams = [
        (WireApi::AnthropicMessages, r#"{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}"#),
        (WireApi::OpenAiChat, r#"{"error":{"message":"Busy.","type":"server_error","code":503}}"#),
        (WireApi::OpenAiResponses, r#"{"type":"error","code":"slow_down","message":"Busy."}"#),
        (WireApi::Gemini, r#"{"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}"#),
    ];
    let kinds = [
        (WireApi::AnthropicMessages, "/error/type", "overloaded_error"),
        (WireApi::OpenAiChat, "/error/code", "server_error"),
        (WireApi::OpenAiResponses, "/response/error/code", "server_is_overloaded"),
        (WireApi::Gemini, "/error/status", "UNAVAILABLE"),
    ];
    for ((from, event), (to, pointer, kind)) in streams.into_iter().flat_map(|from| kinds.map(|to| (from, to))) {
        let stream = format!("data: {event}\n\n");
        let (out, result) = converted((from, to), [stream.as_bytes(), b"data: [DONE]\n\n"]);
        assert_eq!(result, Err(ConvertError::ProviderFailed));
        let (_, last) = client::events(&out).pop().unwrap();
        let last: Value = serde_json::from_str(&last).unwrap();
        assert_eq!(last.pointer(pointer), Some(&json!(kind)), "{from} {to}");
        assert!(last.to_string().contains("Busy."));
    }
}

/// Feeds events until the converter fails. Returns the number of accepted events and the largest output of one.
fn feed_until_refused(to: WireApi, event: impl Fn(usize) -> String) -> (usize, usize) {
    let mut converter = StreamConverter::new(WireApi::OpenAiChat, to, "m", "r".to_owned(), 1);
    let mut largest = 0;
    for number in 0..1_000_000 {
        let mut out = Vec::new();
        let fed = converter.feed(format!("data: {}\n\n", event(number)).as_bytes(), &mut out);
        largest = largest.max(out.len());
        if fed.is_err() {
            return (number, largest);
        }
    }
    panic!("the converter accepts everything");
}

#[test]
fn a_converted_stream_has_a_limit_of_content_and_of_tool_calls() {
    let text = "x".repeat(64 * 1024);
    let delta = |delta: &str| format!("{{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}");
    for to in [WireApi::OpenAiResponses, WireApi::AnthropicMessages, WireApi::Gemini] {
        let (texts, _) = feed_until_refused(to, |_| delta(&format!("{{\"content\":\"{text}\"}}")));
        assert_eq!(texts, 8 * 1024 * 1024 / text.len(), "{to}");
        let call = |arguments: &str| {
            let arguments = arguments.to_owned();
            move |number: usize| {
                delta(&format!(
                    "{{\"tool_calls\":[{{\"index\":{number},\"id\":\"c{number}\",\"type\":\"function\",\
                     \"function\":{{\"name\":\"f\",\"arguments\":{arguments:?}}}}}]}}"
                ))
            }
        };
        // Calls that are never closed are limited alike.
        for arguments in ["{}", "{"] {
            let (calls, largest) = feed_until_refused(to, call(arguments));
            assert_eq!((calls, largest < 1_000_000), (4_096, true), "{to}: {arguments}");
        }
    }
}
