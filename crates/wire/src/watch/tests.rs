//! Summaries of responses of all APIs: streamed, not streamed, split into chunks, cut off and damaged.

use contracts::{
    ResponseSummary, ToolRequest, Usage, WireApi,
    events::{ErrorClass, StopReason},
};
use proptest::prelude::*;

use super::ResponseInspector;
use crate::defect::ResponseDefect;

/// Returns a stream of events with this data, all with the same name.
fn stream(events: &[&str]) -> String {
    // A line feed inside the data would end it.
    let event = |event: &&str| format!("event: x\ndata: {}\n\n", event.replace('\n', " "));
    events.iter().map(event).collect::<Vec<_>>().concat()
}

/// Returns the summary of a response that arrives in one chunk.
fn seen(api: WireApi, streaming: bool, body: &str) -> ResponseSummary {
    let mut watcher = ResponseInspector::new(api, streaming);
    watcher.feed(body.as_bytes());
    watcher.finish()
}

/// A list of responses is a response of Gemini only.
#[test]
fn a_list_is_no_response_of_other_apis() {
    for (api, response, defect) in [
        (
            WireApi::AnthropicMessages,
            r#"{"type":"message","content":[],"stop_reason":"end_turn"}"#,
            Some(ResponseDefect::NotOfApi),
        ),
        (
            WireApi::OpenAiChat,
            r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#,
            Some(ResponseDefect::NotOfApi),
        ),
        (WireApi::OpenAiResponses, r#"{"status":"completed","output":[]}"#, Some(ResponseDefect::NotOfApi)),
        (WireApi::Gemini, r#"{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}"#, None),
    ] {
        for streaming in [false, true] {
            let found = |body: &str| {
                let mut inspector = ResponseInspector::new(api, streaming);
                inspector.feed(body.as_bytes());
                inspector.end()
            };
            assert_eq!((found(response), found(&format!("[{response}]"))), (None, defect), "{api} {streaming}");
        }
    }
}

/// Returns a tool call with these values.
fn call(id: &str, name: &str, arguments: &str) -> ToolRequest {
    ToolRequest { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// Returns the summary of a complete response of the model `m-1` without output.
fn expected(usage: Usage, stop_reason: StopReason) -> ResponseSummary {
    ResponseSummary {
        usage: Some(usage),
        raw_usage: None,
        stop_reason,
        tool_calls: Vec::new(),
        thinking_blocks: 0,
        model: Some("m-1".to_owned()),
        complete: true,
        error: None,
        output_bytes: 0,
    }
}

/// Returns the summary without its raw usage object.
fn without_raw(seen: ResponseSummary) -> ResponseSummary {
    ResponseSummary { raw_usage: None, ..seen }
}

/// The events of a Messages stream with thinking, text and a tool call.
const ANTHROPIC: &[&str] = &[
    r#"{"type":"message_start","message":{"model":"m-1","content":[],"usage":{"input_tokens":3,
        "cache_read_input_tokens":100,"cache_creation_input_tokens":9,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"yes"}}"#,
    r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"Bash","input":{}}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}"#,
    r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"é\"}"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}}"#,
    r#"{"type":"message_stop"}"#,
];

/// Returns the expected summary of the stream [`ANTHROPIC`].
fn anthropic() -> ResponseSummary {
    let usage = Usage { input: 3, cache_read: 100, cache_write_5m: 9, cache_write_1h: 0, output: 42 };
    ResponseSummary {
        tool_calls: vec![call("t1", "Bash", r#"{"a":"é"}"#)],
        thinking_blocks: 1,
        output_bytes: 19,
        ..expected(usage, StopReason::ToolUse)
    }
}

/// The usage of a Messages stream is merged from all its events.
#[test]
fn a_stream_of_messages_is_read_and_its_last_account_counts() {
    let seen = seen(WireApi::AnthropicMessages, true, &stream(ANTHROPIC));
    let raw = r#"{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":9,"output_tokens":42}"#;
    assert_eq!(seen.raw_usage.as_deref(), Some(raw));
    assert_eq!(without_raw(seen), anthropic());
}

/// A Messages response has the same summary whether it is streamed or not, except for the bytes of output.
#[test]
fn a_whole_message_is_read_alike() {
    let body = r#"{"type":"message","model":"m-1","content":[{"type":"thinking","thinking":"hm","signature":"s"},
        {"type":"text","text":"yes"},{"type":"tool_use","id":"t1","name":"Bash","input":{"a":"é"}}],
        "stop_reason":"tool_use","usage":{"input_tokens":3,"cache_read_input_tokens":100,
        "cache_creation_input_tokens":9,"output_tokens":42}}"#;
    let seen = seen(WireApi::AnthropicMessages, false, body);
    assert_eq!(without_raw(seen), ResponseSummary { output_bytes: 15, ..anthropic() });
}

/// The events of a chat completions stream with thinking, text and two interleaved tool calls.
const CHAT: &[&str] = &[
    r#"{"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","content":null}}],"usage":null}"#,
    r#"{"model":"m-1","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#,
    r#"{"model":"m-1","choices":[{"index":0,"delta":{"content":"yes","tool_calls":[]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":""}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"g","arguments":"{}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}"#,
    r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
    r#"{"choices":[],"usage":{"prompt_tokens":1200,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":1024}}}"#,
    "[DONE]",
];

/// Returns the expected summary of the stream [`CHAT`].
fn chat() -> ResponseSummary {
    let usage = Usage { input: 176, cache_read: 1_024, output: 40, ..Usage::default() };
    ResponseSummary {
        tool_calls: vec![call("c1", "f", r#"{"a":1}"#), call("c2", "g", "{}")],
        thinking_blocks: 1,
        output_bytes: 16,
        ..expected(usage, StopReason::ToolUse)
    }
}

#[test]
fn a_stream_of_chat_completions_is_read() {
    assert_eq!(without_raw(seen(WireApi::OpenAiChat, true, &stream(CHAT))), chat());
}

#[test]
fn usage_beside_the_last_choice_counts_too() {
    let last =
        r#"{"model":"m-1","choices":[{"delta":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5}}"#;
    let seen = seen(WireApi::OpenAiChat, true, &stream(&[last]));
    let usage = Usage { input: 5, ..Usage::default() };
    assert_eq!(without_raw(seen), ResponseSummary { output_bytes: 1, ..expected(usage, StopReason::EndTurn) });
}

/// A chat completion has the same summary whether it is streamed or not.
#[test]
fn a_whole_chat_completion_is_read_alike() {
    let body = r#"{"model":"m-1","choices":[{"index":0,"message":{"content":"yes","reasoning":"hm","tool_calls":[
        {"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},
        {"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":1200,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":1024}}}"#;
    assert_eq!(without_raw(seen(WireApi::OpenAiChat, false, body)), chat());
}

/// The events of a Responses stream with reasoning, text, a function call and a call of a custom tool.
const RESPONSES: &[&str] = &[
    r#"{"type":"response.created","response":{"model":"m-1","status":"in_progress","usage":null}}"#,
    r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","summary":[]}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}"#,
    r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","content":[]}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"delta":"yes"}"#,
    r#"{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc","call_id":"c1","name":"f","arguments":""}}"#,
    r#"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"a\""}"#,
    r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"}}"#,
    r#"{"type":"response.output_item.added","output_index":3,"item":{"type":"custom_tool_call","call_id":"c2","name":"patch","input":""}}"#,
    r#"{"type":"response.custom_tool_call_input.delta","output_index":3,"delta":"*** Begin"}"#,
    r#"{"type":"response.completed","response":{"model":"m-1","status":"completed","error":null,"usage":{"input_tokens":1200,
        "output_tokens":40,"input_tokens_details":{"cached_tokens":1024}}}}"#,
];

/// Returns the expected summary of the stream [`RESPONSES`].
fn responses() -> ResponseSummary {
    ResponseSummary {
        tool_calls: vec![call("c1", "f", r#"{"a":1}"#), call("c2", "patch", "*** Begin")],
        output_bytes: 20,
        ..chat()
    }
}

#[test]
fn a_stream_of_responses_is_read() {
    assert_eq!(without_raw(seen(WireApi::OpenAiResponses, true, &stream(RESPONSES))), responses());
}

/// A response has the same summary whether it is streamed or not, except for the bytes of output.
#[test]
fn a_whole_response_is_read_alike() {
    let body = r#"{"model":"m-1","status":"completed","error":null,"incomplete_details":null,"output":[
        {"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
        {"type":"message","content":[{"type":"output_text","text":"yes"}]},
        {"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},
        {"type":"custom_tool_call","call_id":"c2","name":"patch","input":"*** Begin"}],
        "usage":{"input_tokens":1200,"output_tokens":40,"input_tokens_details":{"cached_tokens":1024}}}"#;
    assert_eq!(
        without_raw(seen(WireApi::OpenAiResponses, false, body)),
        ResponseSummary { output_bytes: 23, ..responses() }
    );
}

/// A response that is incomplete or failed has the stop reason or the error class.
#[test]
fn a_response_that_did_not_end_well_says_why() {
    let check = |end: &str, stop_reason, error| {
        let seen = seen(WireApi::OpenAiResponses, true, &stream(&[end]));
        assert_eq!((seen.stop_reason, seen.error), (stop_reason, error), "{end}");
    };
    let cut = r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#;
    check(cut, StopReason::MaxTokens, None);
    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"x"}}}"#;
    check(failed, StopReason::Unknown, Some(ErrorClass::RateLimit));
    let error = r#"{"type":"error","code":"server_error","message":"x","param":null}"#;
    check(error, StopReason::Unknown, Some(ErrorClass::ServerError));
}

/// The chunks of a Gemini stream with thinking, text and a function call.
const GEMINI: &[&str] = &[
    r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"}}],"modelVersion":"m-1",
        "usageMetadata":{"promptTokenCount":1200,"totalTokenCount":1200}}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"mm","thought":true}]}}]}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"yes"},{"functionCall":{"name":"f","args":{"a":1}}}]},"finishReason":"STOP"}],
        "usageMetadata":{"promptTokenCount":1200,"cachedContentTokenCount":1024,"candidatesTokenCount":10,"thoughtsTokenCount":30}}"#,
];

/// Returns the expected summary of the stream [`GEMINI`].
fn gemini() -> ResponseSummary {
    ResponseSummary { tool_calls: vec![call("", "f", r#"{"a":1}"#)], output_bytes: 14, ..chat() }
}

/// Gemini's chunks have the same summary as events and as one list; a blocked prompt is a refusal.
#[test]
fn gemini_s_answers_are_read_in_events_in_a_list_and_alone() {
    assert_eq!(without_raw(seen(WireApi::Gemini, true, &stream(GEMINI))), gemini());
    let list = format!("[{}]", GEMINI.join(",\n"));
    assert_eq!(without_raw(seen(WireApi::Gemini, true, &list)), gemini());
    assert_eq!(
        without_raw(seen(WireApi::Gemini, false, GEMINI[2])),
        ResponseSummary { thinking_blocks: 0, model: None, output_bytes: 10, ..gemini() }
    );
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":5}}"#;
    let seen = seen(WireApi::Gemini, false, blocked);
    assert_eq!((seen.stop_reason, seen.complete), (StopReason::Refusal, true));
}

#[test]
fn a_stream_that_is_cut_is_not_complete() {
    let cut = stream(&ANTHROPIC[..8]);
    let seen = seen(WireApi::AnthropicMessages, true, &cut);
    assert!(!seen.complete);
    assert_eq!(seen.usage.map(|usage| usage.input), Some(3));
    assert_eq!(seen.stop_reason, StopReason::Unknown);
}

#[test]
fn an_error_inside_a_stream_or_instead_of_it_has_a_class() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let anthropic = WireApi::AnthropicMessages;
    assert_eq!(seen(anthropic, true, &stream(&[overloaded])).error, Some(ErrorClass::Overloaded));
    assert_eq!(seen(anthropic, true, overloaded).error, Some(ErrorClass::Overloaded));
    let gemini = r#"{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}"#;
    assert_eq!(seen(WireApi::Gemini, true, &stream(&[gemini])).error, Some(ErrorClass::RateLimit));
}

/// A summary has at most 256 tool calls with 64 KiB of arguments each.
#[test]
fn memory_is_bounded_by_what_is_kept() {
    let mut watcher = ResponseInspector::new(WireApi::OpenAiChat, true);
    let piece = "x".repeat(10_000);
    for number in 0..500 {
        let call = format!(r#"{{"index":{number},"id":"c","function":{{"name":"f","arguments":"{piece}"}}}}"#);
        watcher.feed(stream(&[&format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#)]).as_bytes());
        let more = format!(
            r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":"{piece}"}}}}]}}}}]}}"#
        );
        watcher.feed(stream(&[&more]).as_bytes());
    }
    let seen = watcher.finish();
    assert_eq!(seen.tool_calls.len(), 256);
    assert_eq!(seen.tool_calls[0].arguments.len(), 64 * 1024);
}

/// Returns the summary of a response that is split at these offsets, modulo its length.
fn chunked(api: WireApi, body: &[u8], cuts: &[usize]) -> ResponseSummary {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (body.len() + 1)).chain([0, body.len()]).collect();
    cuts.sort_unstable();
    let mut watcher = ResponseInspector::new(api, true);
    cuts.windows(2).for_each(|pair| watcher.feed(&body[pair[0]..pair[1]]));
    watcher.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The summary does not depend on how the response is split into chunks.
    #[test]
    fn what_is_seen_does_not_depend_on_chunks(cuts in prop::collection::vec(any::<usize>(), 0..30)) {
        let streams = [
            (WireApi::AnthropicMessages, ANTHROPIC), (WireApi::OpenAiChat, CHAT),
            (WireApi::OpenAiResponses, RESPONSES), (WireApi::Gemini, GEMINI),
        ];
        for (api, lines) in streams {
            let body = stream(lines);
            prop_assert_eq!(chunked(api, body.as_bytes(), &cuts), seen(api, true, &body));
        }
    }

    #[test]
    fn streams_that_are_cut_or_garbled_never_panic(
        which in 0_usize..4, end in any::<usize>(), at in any::<usize>(), byte in any::<u8>(), streaming in any::<bool>(),
    ) {
        let lines = [ANTHROPIC, CHAT, RESPONSES, GEMINI][which];
        for api in WireApi::ALL {
            let mut body = stream(lines).into_bytes();
            let length = body.len();
            body[at % length] = byte;
            body.truncate(end % length);
            let mut watcher = ResponseInspector::new(api, streaming);
            watcher.feed(&body);
            watcher.finish();
        }
    }
}

/// Attack: a web page, an error or other text after blank lines in place of a stream.
/// Holds: the blank lines are no events, so that nothing is forwarded and another model can answer.
#[test]
fn blank_lines_before_other_text_are_no_stream() {
    for text in ["\n\n<html>sign in</html>", "\n\n\n\n\n\n1", "\r\n\r\n \r\n\r\nBad Gateway\n\n"] {
        let inspected = |size: usize| {
            let mut inspector = ResponseInspector::new(WireApi::AnthropicMessages, true);
            text.as_bytes().chunks(size).for_each(|chunk| inspector.feed(chunk));
            let before_the_end = inspector.checked_bytes();
            (before_the_end, inspector.end(), inspector.checked_bytes())
        };
        let whole = inspected(text.len());
        assert_eq!((whole.0, whole.2), (0, 0), "{text:?}");
        assert!(whole.1.is_some(), "{text:?}");
        for size in 1..text.len() {
            assert_eq!(inspected(size), whole, "{text:?} in chunks of {size}");
        }
    }
}
