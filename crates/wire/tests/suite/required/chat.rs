//! Random requests to chat completions.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::{
    any_of, arguments, conversation, count, effort, fixed, flag, id, image_url, list, name, object, one_of, portion,
    schema, stops, text,
};

/// Generates a request body of the chat completions API, mostly valid.
pub(crate) fn request() -> BoxedStrategy<Value> {
    let described = object(vec![
        ("name", 95, name()),
        ("description", 20, text()),
        ("schema", 95, schema()),
        ("strict", 40, flag()),
    ]);
    let format = object(vec![
        ("type", 98, one_of(json!(["text", "json_object", "json_schema", "json_schema", "grammar"]))),
        ("json_schema", 60, described),
    ]);
    let choice = any_of(vec![
        one_of(json!(["auto", "required", "none", "new", null])),
        object(vec![
            ("type", 99, one_of(json!(["function", "custom", "allowed_tools"]))),
            ("function", 80, object(vec![("name", 98, name())])),
            ("custom", 10, object(vec![("name", 98, name())])),
        ]),
    ]);
    let penalty = || one_of(json!([0, 0.0, 0.5, -1, null]));
    object(vec![
        ("model", 100, fixed(json!("m"))),
        ("messages", 100, conversation(json!({"role": "user", "content": "hi"}), message(), answered(), result())),
        ("max_tokens", 20, count()),
        ("max_completion_tokens", 20, count()),
        ("tools", 40, list(tool(), 3)),
        ("tool_choice", 25, choice),
        ("parallel_tool_calls", 20, flag()),
        ("stop", 25, any_of(vec![stops(), text()])),
        ("temperature", 25, portion()),
        ("top_p", 20, portion()),
        ("top_k", 5, count()),
        ("seed", 10, count()),
        ("presence_penalty", 10, penalty()),
        ("frequency_penalty", 10, penalty()),
        ("logit_bias", 5, one_of(json!([{}, {"9": 1}, null]))),
        ("reasoning_effort", 25, effort()),
        ("response_format", 25, format),
        ("n", 8, one_of(json!([1, 2, null]))),
        ("logprobs", 8, flag()),
        ("top_logprobs", 5, one_of(json!([0, 2, null]))),
        ("store", 8, flag()),
        ("metadata", 8, one_of(json!([{}, {"a": "b"}, null]))),
        ("modalities", 5, one_of(json!([["text"], ["text", "audio"], null, []]))),
        ("service_tier", 8, one_of(json!(["auto", "default", "flex", null]))),
        ("verbosity", 8, one_of(json!(["low", "medium", null]))),
        ("prompt_cache_key", 8, text()),
        ("prompt_cache_retention", 3, one_of(json!(["24h", null]))),
        ("safety_identifier", 5, text()),
        ("user", 5, text()),
        ("stream_options", 10, one_of(json!([{"include_usage": true}, {}, null]))),
        ("web_search_options", 2, fixed(json!({}))),
    ])
}

/// Generates the content of a message of the chat completions API.
fn content() -> BoxedStrategy<Value> {
    any_of(vec![text(), list(part(), 3), fixed(Value::Null)])
}

/// Generates a message of the user or the system of the chat completions API.
fn said() -> BoxedStrategy<Value> {
    object(vec![
        ("role", 99, one_of(json!(["user", "user", "system", "developer", "function"]))),
        ("content", 98, content()),
        ("name", 4, text()),
    ])
}

/// Generates a message of the model of the chat completions API.
fn answered() -> BoxedStrategy<Value> {
    object(vec![
        ("role", 100, fixed(json!("assistant"))),
        ("content", 80, content()),
        ("tool_calls", 70, list(call(), 2)),
        ("refusal", 8, one_of(json!([null, "", "no", false]))),
        ("annotations", 5, one_of(json!([[], null, [{}]]))),
        ("function_call", 4, one_of(json!([null, {}, {"name": "f"}]))),
        ("reasoning_content", 10, text()),
        ("reasoning_details", 3, one_of(json!([[], null, [{}]]))),
        ("audio", 2, one_of(json!([null, {"id": "a"}]))),
    ])
}

/// Generates a message with a tool result of the chat completions API.
fn result() -> BoxedStrategy<Value> {
    object(vec![
        ("role", 100, fixed(json!("tool"))),
        ("tool_call_id", 98, id()),
        ("name", 10, name()),
        ("content", 97, content()),
    ])
}

/// Generates a message with any role of the chat completions API.
fn message() -> BoxedStrategy<Value> {
    any_of(vec![said(), said(), answered(), answered(), result()])
}

/// Generates a tool call of the chat completions API.
fn call() -> BoxedStrategy<Value> {
    let function = object(vec![("name", 99, name()), ("arguments", 97, arguments())]);
    let custom = object(vec![("name", 99, name()), ("input", 97, text())]);
    any_of(vec![
        object(vec![
            ("id", 99, id()),
            ("type", 90, one_of(json!(["function", "function", "function", "new"]))),
            ("function", 99, function),
            ("index", 8, count()),
            ("extra_content", 5, one_of(json!([null, {}, {"google": {"thought_signature": "x"}}]))),
        ]),
        object(vec![("id", 99, id()), ("type", 100, fixed(json!("custom"))), ("custom", 98, custom)]),
    ])
}

/// Generates a content part of the chat completions API.
fn part() -> BoxedStrategy<Value> {
    let said = object(vec![("type", 100, one_of(json!(["text", "text", "input_text"]))), ("text", 98, text())]);
    let url = object(vec![("url", 98, image_url()), ("detail", 10, one_of(json!(["low", 7, null])))]);
    let image =
        object(vec![("type", 100, fixed(json!("image_url"))), ("image_url", 98, any_of(vec![url, image_url()]))]);
    let others = one_of(json!([
        {"type": "input_audio", "input_audio": {}}, {"type": "file", "file": {"file_id": "f"}},
        {"type": "video_url", "video_url": {}}, {"type": "refusal", "refusal": "no"}, {"type": "new"},
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}},
    ]));
    any_of(vec![said.clone(), said, image, others])
}

/// Generates a tool definition of the chat completions API.
fn tool() -> BoxedStrategy<Value> {
    let function = object(vec![
        ("name", 99, name()),
        ("description", 60, text()),
        ("parameters", 90, schema()),
        ("strict", 20, flag()),
    ]);
    let format = one_of(json!([
        {"type": "text"}, {"type": "grammar", "grammar": {"syntax": "lark", "definition": "x"}}, {"type": "new"},
        {"type": "grammar"}, null,
    ]));
    let custom = object(vec![("name", 99, name()), ("description", 60, text()), ("format", 60, format)]);
    any_of(vec![
        object(vec![
            ("type", 99, fixed(json!("function"))),
            ("function", 99, function.clone()),
            ("defer_loading", 4, flag()),
            ("cache_control", 4, fixed(json!({"type": "ephemeral"}))),
        ]),
        object(vec![("type", 100, fixed(json!("function"))), ("function", 100, function)]),
        object(vec![("type", 100, fixed(json!("custom"))), ("custom", 98, custom)]),
        one_of(json!([{"type": "web_search"}, {}])),
    ])
}
