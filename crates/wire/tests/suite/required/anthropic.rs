//! Random requests to Anthropic's Messages.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::{
    any_of, conversation, count, effort, fixed, flag, id, list, media_type, name, object, one_of, portion, schema,
    stops, text,
};

/// Generates a request body of the Messages API, mostly valid.
pub(crate) fn request() -> BoxedStrategy<Value> {
    let format =
        object(vec![("type", 97, one_of(json!(["json_schema", "json_schema", "text"]))), ("schema", 95, schema())]);
    let output = object(vec![("effort", 60, effort()), ("format", 30, format.clone())]);
    let thinking = one_of(json!([
        {"type": "adaptive"}, {"type": "enabled", "budget_tokens": 2048}, {"type": "disabled"}, {"type": "new"}, null,
        {"type": "disabled", "display": "x"},
    ]));
    let choice = object(vec![
        ("type", 98, one_of(json!(["auto", "any", "none", "tool", "new"]))),
        ("name", 40, name()),
        ("disable_parallel_tool_use", 40, flag()),
    ]);
    object(vec![
        ("model", 100, fixed(json!("m"))),
        ("messages", 100, messages()),
        ("max_tokens", 90, count()),
        ("system", 40, any_of(vec![text(), list(block(), 2)])),
        ("tools", 40, list(tool(), 3)),
        ("tool_choice", 25, choice),
        ("stop_sequences", 25, stops()),
        ("temperature", 25, portion()),
        ("top_p", 20, portion()),
        ("top_k", 10, count()),
        ("thinking", 20, thinking),
        ("output_config", 25, output),
        ("output_format", 8, format),
        ("service_tier", 8, one_of(json!(["auto", "default", "standard_only"]))),
        ("metadata", 10, one_of(json!([{"user_id": "u"}, {}, null]))),
        ("cache_control", 5, fixed(json!({"type": "ephemeral"}))),
        ("context_management", 5, fixed(json!({"edits": []}))),
        ("mcp_servers", 2, fixed(json!([]))),
        ("stream", 30, flag()),
    ])
}

/// Generates a conversation of the Messages API.
fn messages() -> BoxedStrategy<Value> {
    let holding = |role: &'static str, of: BoxedStrategy<Value>| {
        list(of, 2).prop_map(move |content| json!({"role": role, "content": content})).boxed()
    };
    let user = json!({"role": "user", "content": "hi"});
    conversation(user, message(), holding("assistant", call()), holding("user", result()))
}

/// Generates a message with any role of the Messages API.
fn message() -> BoxedStrategy<Value> {
    object(vec![
        ("role", 99, one_of(json!(["user", "user", "user", "assistant", "assistant", "system"]))),
        ("content", 99, any_of(vec![text(), list(block(), 4), list(block(), 2)])),
    ])
}

/// Generates an image block of the Messages API.
fn image() -> BoxedStrategy<Value> {
    let source = any_of(vec![
        object(vec![("type", 99, fixed(json!("base64"))), ("media_type", 98, media_type()), ("data", 99, text())]),
        one_of(json!([
            {"type": "url", "url": "https://example.com/a.png"}, {"type": "url", "url": "data:image/png;base64,AA=="},
            {"type": "file", "file_id": "file_1"}, {"type": "new"},
        ])),
    ]);
    object(vec![("type", 100, fixed(json!("image"))), ("source", 98, source)])
}

/// Generates a text block of the Messages API.
fn said() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 100, fixed(json!("text"))),
        ("text", 99, text()),
        ("citations", 5, one_of(json!([[], null, [{}]]))),
        ("cache_control", 5, fixed(json!({"type": "ephemeral"}))),
    ])
}

/// Generates a `tool_use` block of the Messages API.
fn call() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 100, fixed(json!("tool_use"))),
        ("id", 99, id()),
        ("name", 99, name()),
        ("input", 95, one_of(json!([{}, {"a": 1}, null, {"a": 12_345_678_901_234_567_890_u64}, {"a": 1e300}]))),
        ("caller", 5, one_of(json!([{"type": "direct"}, {"type": "code_execution"}, null]))),
    ])
}

/// Generates a `tool_result` block of the Messages API.
fn result() -> BoxedStrategy<Value> {
    let inside = any_of(vec![said(), said(), image(), call()]);
    object(vec![
        ("type", 100, fixed(json!("tool_result"))),
        ("tool_use_id", 99, id()),
        ("content", 90, any_of(vec![text(), list(inside, 2)])),
        ("is_error", 20, flag()),
    ])
}

/// Generates a content block of any type of the Messages API.
fn block() -> BoxedStrategy<Value> {
    let others = one_of(json!([
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"}, {"type": "redacted_thinking", "data": "eA"},
        {"type": "document", "source": {"type": "text", "data": "x"}}, {"type": "server_tool_use", "id": "s"},
        {"type": "web_search_tool_result"}, {"type": "new_block"},
    ]));
    any_of(vec![said(), said(), call(), result(), image(), others])
}

/// Generates a tool definition of the Messages API.
fn tool() -> BoxedStrategy<Value> {
    object(vec![
        ("type", 20, one_of(json!(["custom", null, "bash_20250124"]))),
        ("name", 99, name()),
        ("description", 60, text()),
        ("input_schema", 90, schema()),
        ("strict", 15, flag()),
        ("eager_input_streaming", 5, flag()),
        ("defer_loading", 5, flag()),
        ("allowed_callers", 5, one_of(json!([["direct"], [], ["code_execution_20260120"]]))),
        ("cache_control", 5, fixed(json!({"type": "ephemeral"}))),
    ])
}
