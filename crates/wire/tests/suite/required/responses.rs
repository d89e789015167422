//! Random requests to Responses.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::{
    any_of, arguments, conversation, count, effort, fixed, flag, id, image_url, list, name, object, one_of, portion,
    schema, text,
};

/// Generates a request body of the Responses API, mostly valid.
pub(crate) fn request() -> BoxedStrategy<Value> {
    let format = object(vec![
        ("type", 98, one_of(json!(["text", "json_object", "json_schema", "json_schema", "grammar"]))),
        ("name", 60, name()),
        ("description", 10, text()),
        ("schema", 60, schema()),
        ("strict", 30, flag()),
    ]);
    let wish = one_of(json!([
        "reasoning.encrypted_content",
        "message.output_text.logprobs",
        "file_search_call.results",
        "message.input_image.image_url",
        null,
    ]));
    let choice = any_of(vec![
        one_of(json!(["auto", "required", "none", "new", null])),
        object(vec![("type", 99, one_of(json!(["function", "custom", "file_search"]))), ("name", 90, name())]),
    ]);
    let reasoning = object(vec![
        ("effort", 80, effort()),
        ("summary", 20, one_of(json!(["auto", null]))),
        ("context", 5, fixed(json!("x"))),
        ("new_field", 3, fixed(json!(1))),
    ]);
    object(vec![
        ("model", 100, fixed(json!("m"))),
        ("input", 100, any_of(vec![input(), input(), input(), text()])),
        ("instructions", 40, text()),
        ("max_output_tokens", 20, count()),
        ("tools", 40, list(tool(), 3)),
        ("tool_choice", 25, choice),
        ("parallel_tool_calls", 20, flag()),
        ("temperature", 25, portion()),
        ("top_p", 20, portion()),
        ("reasoning", 30, reasoning),
        ("text", 25, object(vec![("format", 80, format), ("verbosity", 20, one_of(json!(["low", "medium", null])))])),
        ("include", 15, list(wish, 2)),
        ("store", 30, flag()),
        ("metadata", 8, one_of(json!([{}, {"a": "b"}, null]))),
        ("background", 5, flag()),
        ("truncation", 8, one_of(json!(["auto", "disabled", null]))),
        ("top_logprobs", 4, one_of(json!([0, 2, null]))),
        ("service_tier", 8, one_of(json!(["auto", "default", "flex", null]))),
        ("previous_response_id", 4, one_of(json!([null, "resp_1"]))),
        ("prompt_cache_key", 8, text()),
        ("safety_identifier", 5, text()),
        ("client_metadata", 5, fixed(json!({"a": "b"}))),
        ("stream_options", 5, one_of(json!([{"include_obfuscation": false}, {}, null]))),
    ])
}

/// Generates a message item of the Responses API.
fn message() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 70, fixed(json!("message"))),
        ("role", 99, one_of(json!(["user", "user", "assistant", "system", "developer", "critic"]))),
        ("content", 98, any_of(vec![text(), list(part(), 3)])),
        ("id", 10, text()),
        ("status", 10, fixed(json!("completed"))),
        ("name", 2, name()),
    ])
}

/// Generates a function call item of the Responses API.
fn call() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 100, fixed(json!("function_call"))),
        ("call_id", 99, id()),
        ("name", 99, name()),
        ("arguments", 97, arguments()),
        ("id", 30, text()),
        ("status", 30, fixed(json!("completed"))),
    ])
}

/// Generates an item with a call of a custom tool of the Responses API.
fn custom() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 100, fixed(json!("custom_tool_call"))),
        ("call_id", 99, id()),
        ("name", 99, name()),
        ("input", 97, text()),
    ])
}

/// Generates an item with a tool result of the Responses API.
fn output() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 100, one_of(json!(["function_call_output", "function_call_output", "custom_tool_call_output"]))),
        ("call_id", 99, id()),
        ("output", 97, any_of(vec![text(), list(part(), 2)])),
    ])
}

/// Generates a conversation of the Responses API.
fn input() -> BoxedStrategy<Value> {
    conversation(json!({"role": "user", "content": "hi"}), item(), call(), output())
}

/// Generates an item of any type of the Responses API.
fn item() -> BoxedStrategy<Value> {
    let others = one_of(json!([
        {"type": "reasoning", "summary": [], "encrypted_content": "x"}, {"type": "item_reference", "id": "msg_1"},
        {"type": "web_search_call", "id": "ws_1"}, {"type": "compaction", "encrypted_content": "x"},
        {"type": "computer_call_output", "call_id": "c1"}, {"type": "new_item"}, {"type": ""},
    ]));
    any_of(vec![message(), message(), message(), call(), call(), output(), output(), custom(), others])
}

/// Generates a content part of the Responses API.
fn part() -> BoxedStrategy<Value> {
    let said = object(vec![
        ("type", 100, one_of(json!(["input_text", "output_text", "text", "summary_text"]))),
        ("text", 98, text()),
        ("annotations", 10, one_of(json!([[], null, [{}]]))),
        ("logprobs", 5, one_of(json!([[], null]))),
    ]);
    let image = object(vec![
        ("type", 100, fixed(json!("input_image"))),
        ("image_url", 90, image_url()),
        ("file_id", 5, one_of(json!([null, "file_1"]))),
        ("detail", 10, one_of(json!(["low", null]))),
    ]);
    let others = one_of(json!([
        {"type": "input_file", "file_id": "f"}, {"type": "input_audio", "input_audio": {}}, {"type": "refusal", "refusal": "no"},
        {"type": "image_url", "image_url": {"url": "https://example.com"}}, {"type": "video_url"}, {"type": "file"},
    ]));
    any_of(vec![said.clone(), said, image, others])
}

/// Generates a tool definition of the Responses API.
fn tool() -> BoxedStrategy<Value> {
    let format = one_of(json!([
        {"type": "text"}, {"type": "grammar", "syntax": "lark", "definition": "x"}, {"type": "new"}, null,
    ]));
    any_of(vec![
        object(vec![
            ("type", 99, fixed(json!("function"))),
            ("name", 99, name()),
            ("description", 60, text()),
            ("parameters", 90, schema()),
            ("strict", 20, flag()),
            ("defer_loading", 5, flag()),
            ("format", 2, format.clone()),
        ]),
        object(vec![
            ("type", 100, fixed(json!("custom"))),
            ("name", 99, name()),
            ("format", 60, format),
            ("strict", 3, flag()),
        ]),
        one_of(json!([{"type": "web_search"}, {"type": "namespace", "name": "n", "tools": []}, {}])),
    ])
}
