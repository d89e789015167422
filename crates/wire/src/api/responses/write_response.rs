//! Writes a response of Responses.

use serde_json::{Value, json};

use super::usage;
use crate::convert::canonical::{
    response::{BlockKind, Response, ResponseHead, Stop},
    tokens::Tokens,
};

pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Value {
    let blocks = response.blocks.into_iter().enumerate();
    let output: Vec<Value> =
        blocks.map(|(index, (kind, content_text))| item(head, index, &kind, &content_text, "completed")).collect();
    finished(head, output, &response.stop, response.tokens)
}

/// Builds a response object of Responses without output and usage.
pub(super) fn response(head: &ResponseHead, status: &str) -> Value {
    json!({
        "id": head.id,
        "object": "response",
        "created_at": head.created,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "max_output_tokens": null,
        "metadata": {},
        "model": head.model,
        "output": [],
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "store": false,
        "temperature": null,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "truncation": "disabled",
        "usage": null,
    })
}

/// Builds a finished response object of Responses.
pub(super) fn finished(head: &ResponseHead, output: Vec<Value>, stop: &Stop, tokens: Tokens) -> Value {
    let cut_off = match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Sequence(_) => None,
        Stop::MaxTokens => Some("max_output_tokens"),
        Stop::Refused => Some("content_filter"),
    };
    let mut response = response(head, if cut_off.is_some() { "incomplete" } else { "completed" });
    if let Some(reason) = cut_off {
        response["incomplete_details"] = json!({"reason": reason});
    }
    response["output"] = Value::Array(output);
    response["usage"] = usage::write(tokens);
    response
}

/// Builds the output item for a block; `index` is its position in the response.
pub(super) fn item(head: &ResponseHead, index: usize, kind: &BlockKind, content_text: &str, status: &str) -> Value {
    let id = item_id(head, index, kind);
    match kind {
        BlockKind::Text => {
            let content = if content_text.is_empty() { json!([]) } else { json!([part(content_text)]) };
            json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content})
        }
        BlockKind::Thinking => {
            json!({"id": id, "type": "reasoning", "summary": [{"type": "summary_text", "text": content_text}]})
        }
        BlockKind::Tool { id: call, name, custom: false } => json!({
            "id": id,
            "type": "function_call",
            "status": status,
            "call_id": call,
            "name": name,
            "arguments": content_text,
        }),
        BlockKind::Tool { id: call, name, custom: true } => json!({
            "id": id,
            "type": "custom_tool_call",
            "status": status,
            "call_id": call,
            "name": name,
            "input": content_text,
        }),
    }
}

/// Returns a text part of a message.
pub(super) fn part(content_text: &str) -> Value {
    json!({"type": "output_text", "text": content_text, "annotations": [], "logprobs": []})
}

/// Returns the id of an output item: a prefix for its type, the id of the response, and its index.
pub(super) fn item_id(head: &ResponseHead, index: usize, kind: &BlockKind) -> String {
    let prefix = match kind {
        BlockKind::Text => "msg",
        BlockKind::Thinking => "rs",
        BlockKind::Tool { custom: false, .. } => "fc",
        BlockKind::Tool { custom: true, .. } => "ctc",
    };
    format!("{prefix}_{}_{index}", head.id)
}
