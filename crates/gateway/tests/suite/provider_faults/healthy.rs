//! A complete response in each API, streamed and not.

use contracts::WireApi;

/// Returns the events of a complete stream. The first two belong to a stream that is not complete.
pub(super) fn events(api: WireApi) -> Vec<String> {
    let events: &[&str] = match api {
        WireApi::AnthropicMessages => &[
            r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello."}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}"#,
            r#"{"type":"message_stop"}"#,
        ],
        WireApi::OpenAiChat => &[
            r#"{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"He"},"finish_reason":null}]}"#,
            r#"{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"llo."},"finish_reason":null}]}"#,
            r#"{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "[DONE]",
        ],
        WireApi::OpenAiResponses => &[
            r#"{"type":"response.created","sequence_number":0,"response":{"id":"r1","object":"response","created_at":1,"status":"in_progress","model":"m","output":[]}}"#,
            r#"{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"i1","type":"message","role":"assistant","status":"in_progress","content":[]}}"#,
            r#"{"type":"response.output_text.delta","sequence_number":2,"item_id":"i1","output_index":0,"content_index":0,"delta":"Hello."}"#,
            r#"{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"id":"i1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello.","annotations":[]}]}}"#,
            r#"{"type":"response.completed","sequence_number":4,"response":{"id":"r1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"id":"i1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello.","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2}}}"#,
        ],
        WireApi::Gemini => &[
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"He"}]},"index":0}],"modelVersion":"m"}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"llo."}]},"index":0}],"modelVersion":"m"}"#,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"modelVersion":"m"}"#,
        ],
    };
    events.iter().map(|data| event(api, data)).collect()
}

/// Formats an event of the API.
pub(super) fn event(api: WireApi, data: &str) -> String {
    let named = matches!(api, WireApi::AnthropicMessages | WireApi::OpenAiResponses);
    let kind =
        serde_json::from_str::<serde_json::Value>(data).ok().and_then(|data| Some(data["type"].as_str()?.to_owned()));
    match kind.filter(|_| named) {
        Some(kind) => format!("event: {kind}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}

/// Returns a complete response that is not streamed.
pub(super) const fn whole(api: WireApi) -> &'static str {
    match api {
        WireApi::AnthropicMessages => {
            r#"{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}"#
        }
        WireApi::OpenAiChat => {
            r#"{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#
        }
        WireApi::OpenAiResponses => {
            r#"{"id":"r1","object":"response","created_at":1,"status":"completed","model":"m","output":[{"id":"i1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello.","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2}}"#
        }
        WireApi::Gemini => {
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2},"modelVersion":"m"}"#
        }
    }
}

/// Returns the data with which a provider reports an overload.
pub(super) const fn overload(api: WireApi) -> &'static str {
    match api {
        WireApi::AnthropicMessages => r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        WireApi::OpenAiChat => {
            r#"{"error":{"message":"Overloaded","type":"server_overloaded","code":"server_overloaded"}}"#
        }
        WireApi::OpenAiResponses => {
            r#"{"type":"error","error":{"code":"server_is_overloaded","message":"Overloaded"}}"#
        }
        WireApi::Gemini => r#"{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}"#,
    }
}
