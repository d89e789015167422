//! Strict parsers of streams and responses, as a client of each API. They panic on anything that a client might not
//! accept.

use contracts::{Usage, WireApi};
use serde_json::Value;

use super::{
    client_events,
    story::{Said, Stop, Story},
};

/// The end of a stream, as a client sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ended {
    /// With a complete response.
    Well(Story),
    /// With an error, which is the last event.
    InError,
    /// Without an event that ends the stream.
    Not,
}

/// Returns the name and data of each server-sent event. Panics on anything else in the stream.
pub(crate) fn events(stream: &[u8]) -> Vec<(Option<String>, String)> {
    let text = std::str::from_utf8(stream).unwrap();
    assert!(text.is_empty() || text.ends_with("\n\n"), "the last event is complete");
    let mut events = Vec::new();
    for event in text.split_terminator("\n\n") {
        let (mut name, mut data) = (None, None);
        for line in event.split('\n') {
            match line.split_once(": ").unwrap() {
                ("event", value) => assert!(name.replace(value.to_owned()).is_none()),
                ("data", value) => assert!(data.replace(value.to_owned()).is_none()),
                ("", _comment) => {}
                _ => panic!("a line that is neither event nor data: {line}"),
            }
        }
        if let Some(data) = data {
            events.push((name, data));
        }
    }
    events
}

/// Returns whether the last event of a stream ends it, with a complete response or an error.
pub(crate) fn is_ended(api: WireApi, stream: &[u8]) -> bool {
    let Some((_, last)) = events(stream).pop() else { return false };
    let last: Value = serde_json::from_str(&last).unwrap_or_default();
    match api {
        WireApi::AnthropicMessages => last["type"] == "message_stop" || last["type"] == "error",
        WireApi::OpenAiChat => last.is_null() || last["error"].is_object(),
        WireApi::OpenAiResponses => {
            ["response.completed", "response.incomplete", "response.failed"].iter().any(|kind| last["type"] == *kind)
        }
        WireApi::Gemini => last["error"].is_object() || last["candidates"][0]["finishReason"].is_string(),
    }
}

/// Parses a stream as a client of `api`.
pub(crate) fn read(api: WireApi, stream: &[u8]) -> Ended {
    let events = events(stream);
    match api {
        WireApi::AnthropicMessages => client_events::anthropic(&events),
        WireApi::OpenAiChat => client_events::chat(&events),
        WireApi::OpenAiResponses => client_events::responses(&events),
        WireApi::Gemini => client_events::gemini(&events),
    }
}

/// Parses a stream as a client of `api`. Panics if it does not end with a complete response.
pub(crate) fn told(api: WireApi, stream: &[u8]) -> Story {
    match read(api, stream) {
        Ended::Well(story) => story,
        ended => panic!("{ended:?} in {api}: {}", String::from_utf8_lossy(stream)),
    }
}

/// Returns the number at a JSON pointer; 0 if it is missing.
pub(crate) fn number(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).map_or(0, |it| it.as_u64().unwrap())
}

/// Returns the string at a JSON pointer. Panics if it is missing.
pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}")).to_owned()
}

/// Returns a tool call with arguments given as JSON text.
pub(crate) fn call(id: String, name: String, arguments: &str) -> Said {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    assert!(arguments.is_object());
    Said::Call { id, name, arguments }
}

/// Parses the usage object of Messages.
pub(crate) fn anthropic_usage(usage: &Value) -> Usage {
    let [cache_write_5m, cache_write_1h] =
        ["5m", "1h"].map(|kept| number(usage, &format!("/cache_creation/ephemeral_{kept}_input_tokens")));
    assert_eq!(number(usage, "/cache_creation_input_tokens"), cache_write_5m + cache_write_1h);
    let [input, output] = ["/input_tokens", "/output_tokens"].map(|name| number(usage, name));
    Usage { input, cache_read: number(usage, "/cache_read_input_tokens"), cache_write_5m, cache_write_1h, output }
}

/// Parses a usage object of `OpenAI`'s APIs, in which the counts are named `input` and `output`. Returns the token
/// counts, and the output tokens that were thinking.
pub(crate) fn openai_usage(usage: &Value, input: &str, output: &str) -> (Usage, u64) {
    let (total, written) = (number(usage, &format!("/{input}")), number(usage, &format!("/{output}")));
    assert_eq!(number(usage, "/total_tokens"), total + written);
    let [cache_read, cache_write_5m] =
        ["cached_tokens", "cache_write_tokens"].map(|name| number(usage, &format!("/{input}_details/{name}")));
    let input = total - cache_read - cache_write_5m;
    let thinking = number(usage, &format!("/{output}_details/reasoning_tokens"));
    (Usage { input, cache_read, cache_write_5m, cache_write_1h: 0, output: written }, thinking)
}

/// Parses the usage object of Gemini. Returns the token counts, and the output tokens that were thinking.
pub(crate) fn gemini_usage(usage: &Value) -> (Usage, u64) {
    let [prompt, cache_read, candidates, thinking, total] =
        ["prompt", "cachedContent", "candidates", "thoughts", "total"]
            .map(|name| number(usage, &format!("/{name}TokenCount")));
    assert_eq!(total, prompt + candidates + thinking);
    (Usage { input: prompt - cache_read, cache_read, output: candidates + thinking, ..Usage::default() }, thinking)
}

/// Parses the stop reason of Messages.
pub(crate) fn anthropic_stop(stop: &str) -> Stop {
    match stop {
        "end_turn" => Stop::EndTurn,
        "tool_use" => Stop::ToolUse,
        "max_tokens" => Stop::MaxTokens,
        "refusal" => Stop::Refused,
        other => panic!("stop reason {other}"),
    }
}

/// Parses the finish reason of chat completions.
pub(crate) fn chat_stop(stop: &str) -> Stop {
    match stop {
        "stop" => Stop::EndTurn,
        "tool_calls" => Stop::ToolUse,
        "length" => Stop::MaxTokens,
        "content_filter" => Stop::Refused,
        other => panic!("finish reason {other}"),
    }
}

/// Returns the stop reason of a complete response in an API that has none for tool calls.
pub(crate) fn stop_by_calls(said: &[Said]) -> Stop {
    let called = said.iter().any(|it| matches!(it, Said::Call { .. }));
    if called { Stop::ToolUse } else { Stop::EndTurn }
}

/// Parses the finish reason of Gemini.
pub(crate) fn gemini_stop(stop: &str, said: &[Said]) -> Stop {
    match stop {
        "STOP" => stop_by_calls(said),
        "MAX_TOKENS" => Stop::MaxTokens,
        "SAFETY" => Stop::Refused,
        other => panic!("finish reason {other}"),
    }
}

/// Parses a part of Gemini.
pub(crate) fn gemini_part(part: &Value) -> Said {
    if let Some(called) = part.get("functionCall") {
        assert!(called["args"].is_object());
        return Said::Call { id: text(called, "/id"), name: text(called, "/name"), arguments: called["args"].clone() };
    }
    let said = text(part, "/text");
    if part.get("thought").is_some() { Said::Thinking(said) } else { Said::Text(said) }
}

/// Parses a finished response object of Responses.
pub(crate) fn responses_whole(response: &Value) -> Story {
    let said: Vec<Said> = response["output"].as_array().unwrap().iter().map(responses_item).collect();
    let stop = match (text(response, "/status").as_str(), response.pointer("/incomplete_details/reason")) {
        ("completed", None) => stop_by_calls(&said),
        ("incomplete", Some(reason)) if reason == "max_output_tokens" => Stop::MaxTokens,
        ("incomplete", Some(reason)) if reason == "content_filter" => Stop::Refused,
        other => panic!("status {other:?}"),
    };
    let (usage, thinking) = openai_usage(&response["usage"], "input_tokens", "output_tokens");
    Story { said, stop, usage, thinking }
}

/// Parses an output item of Responses.
pub(crate) fn responses_item(item: &Value) -> Said {
    match text(item, "/type").as_str() {
        "message" => {
            assert_eq!(item["content"].as_array().unwrap().len(), 1);
            assert_eq!(item["content"][0]["type"], "output_text");
            Said::Text(text(item, "/content/0/text"))
        }
        "function_call" => call(text(item, "/call_id"), text(item, "/name"), &text(item, "/arguments")),
        other => panic!("an item of type {other}"),
    }
}

/// Parses a response that is not streamed as a client of `api`.
pub(crate) fn read_whole(api: WireApi, answer: &[u8]) -> Story {
    let answer: Value = serde_json::from_slice(answer).unwrap();
    match api {
        WireApi::OpenAiResponses => responses_whole(&answer),
        WireApi::AnthropicMessages => {
            let block = |block: &Value| match text(block, "/type").as_str() {
                "text" => Said::Text(text(block, "/text")),
                "tool_use" => call(text(block, "/id"), text(block, "/name"), &block["input"].to_string()),
                other => panic!("a block of type {other}"),
            };
            Story {
                said: answer["content"].as_array().unwrap().iter().map(block).collect(),
                stop: anthropic_stop(&text(&answer, "/stop_reason")),
                usage: anthropic_usage(&answer["usage"]),
                thinking: 0,
            }
        }
        WireApi::OpenAiChat => {
            let message = &answer["choices"][0]["message"];
            let mut said = Vec::new();
            if let Some(thought) = message["reasoning_content"].as_str() {
                said.push(Said::Thinking(thought.to_owned()));
            }
            if let Some(content) = message["content"].as_str() {
                said.push(Said::Text(content.to_owned()));
            }
            for called in message["tool_calls"].as_array().into_iter().flatten() {
                let arguments = text(called, "/function/arguments");
                said.push(call(text(called, "/id"), text(called, "/function/name"), &arguments));
            }
            let stop = chat_stop(&text(&answer, "/choices/0/finish_reason"));
            let (usage, thinking) = openai_usage(&answer["usage"], "prompt_tokens", "completion_tokens");
            Story { said, stop, usage, thinking }
        }
        WireApi::Gemini => {
            let parts = answer["candidates"][0]["content"]["parts"].as_array().unwrap();
            let said: Vec<Said> = parts.iter().map(gemini_part).collect();
            let stop = gemini_stop(&text(&answer, "/candidates/0/finishReason"), &said);
            let (usage, thinking) = gemini_usage(&answer["usageMetadata"]);
            Story { said, stop, usage, thinking }
        }
    }
}
