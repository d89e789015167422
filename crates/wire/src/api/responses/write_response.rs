//! Builds the objects of a response of the Responses API: the response itself, its output items and their parts.

use serde_json::{Value, json};

use super::usage;
use crate::convert::canonical::{
    response::{BlockKind, Response, ResponseHead, Stop},
    tokens::Tokens,
};

/// Writes the body of a response of the Responses API that is not streamed, with one output item for each block.
pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Value {
    let blocks = response.blocks.into_iter().enumerate();
    let output: Vec<Value> =
        blocks.map(|(index, (kind, content))| item(head, index, &kind, &content, "completed")).collect();
    finished_response(head, output, &response.stop, response.tokens)
}

/// Builds a response object of the Responses API without output and usage, with a status such as `in_progress`.
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

/// Builds the finished response object of the Responses API: complete, or incomplete if the model stopped at the output
/// limit or refused.
pub(super) fn finished_response(head: &ResponseHead, output: Vec<Value>, stop: &Stop, tokens: Tokens) -> Value {
    let incomplete_reason = match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Sequence(_) => None,
        Stop::MaxTokens => Some("max_output_tokens"),
        Stop::Refused => Some("content_filter"),
    };
    let mut response = response(head, if incomplete_reason.is_some() { "incomplete" } else { "completed" });
    if let Some(reason) = incomplete_reason {
        response["incomplete_details"] = json!({"reason": reason});
    }
    response["output"] = Value::Array(output);
    response["usage"] = usage::write_usage(tokens);
    response
}

/// Builds the output item of the Responses API for a block with this content. `index` is the position of the item in
/// the response, `status` its status such as `completed`.
pub(super) fn item(head: &ResponseHead, index: usize, kind: &BlockKind, content: &str, status: &str) -> Value {
    let id = item_id(head, index, kind);
    match kind {
        BlockKind::Text => {
            let parts = if content.is_empty() { json!([]) } else { json!([part(content)]) };
            json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": parts})
        }
        BlockKind::Thinking => {
            json!({"id": id, "type": "reasoning", "summary": [{"type": "summary_text", "text": content}]})
        }
        BlockKind::Tool { id: call, name, custom: false } => json!({
            "id": id,
            "type": "function_call",
            "status": status,
            "call_id": call,
            "name": name,
            "arguments": content,
        }),
        BlockKind::Tool { id: call, name, custom: true } => json!({
            "id": id,
            "type": "custom_tool_call",
            "status": status,
            "call_id": call,
            "name": name,
            "input": content,
        }),
    }
}

/// Builds a text part of a message item, without annotations.
pub(super) fn part(content: &str) -> Value {
    json!({"type": "output_text", "text": content, "annotations": [], "logprobs": []})
}

/// Returns the id of an output item of the Responses API: a prefix for its type, the id of the response, and its index,
/// as in `msg_ID_0`.
pub(super) fn item_id(head: &ResponseHead, index: usize, kind: &BlockKind) -> String {
    let prefix = match kind {
        BlockKind::Text => "msg",
        BlockKind::Thinking => "rs",
        BlockKind::Tool { custom: false, .. } => "fc",
        BlockKind::Tool { custom: true, .. } => "ctc",
    };
    format!("{prefix}_{}_{index}", head.id)
}
