//! Writes the responses of Anthropic's Messages, streamed or not, from the canonical form.

use contracts::WireApi;
use serde_json::{Value, json};

use super::{stop_reason_name, usage};
use crate::convert::{
    ConvertError,
    canonical::{
        request::parse_arguments,
        response::{BlockKind, Event, Response, ResponseHead, Stop},
    },
    sse,
    stream::WriteStream,
};

/// The error for a call of a custom tool: Messages clients cannot define custom tools.
const UNEXPECTED_CUSTOM_CALL: ConvertError =
    ConvertError::malformed("the answer", "calls a custom tool, which was not offered");
/// The error for a thinking block, which is removed from the response before it is written here.
const UNSIGNED_THINKING: ConvertError = ConvertError::malformed("the answer", "shows thinking that nobody signed");

/// Writes the body of a Messages response that is not streamed. Thinking is dropped, because it has no signature of
/// Anthropic, and so is a call whose arguments were cut off at the output limit.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has a call of a custom tool, or a call whose arguments are not a JSON
/// object.
pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Result<Value, ConvertError> {
    let mut content = Vec::with_capacity(response.blocks.len());
    for (kind, text) in response.blocks {
        content.push(match kind {
            BlockKind::Text => json!({"type": "text", "text": text}),
            // Unsigned thinking is dropped; see the documentation of the conversion.
            BlockKind::Thinking => continue,
            BlockKind::Tool { custom: true, .. } => return Err(UNEXPECTED_CUSTOM_CALL),
            BlockKind::Tool { id, name, custom: false } => match parse_arguments(&text) {
                Ok(input) => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
                Err(_) if response.stop == Stop::MaxTokens => continue,
                Err(error) => return Err(error),
            },
        });
    }
    let mut message = message(head);
    message["content"] = Value::Array(content);
    message["stop_reason"] = json!(stop_reason_name(&response.stop));
    message["stop_sequence"] = sequence_of(&response.stop);
    message["usage"] = usage::write_usage(response.tokens);
    Ok(message)
}

/// Builds the message object of a Messages response with empty content and without usage.
fn message(head: &ResponseHead) -> Value {
    json!({
        "id": head.id,
        "type": "message",
        "role": "assistant",
        "model": head.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
    })
}

/// Returns the value of `stop_sequence` in a Messages response: the sequence that ended the response; `null` for other
/// stop reasons.
fn sequence_of(stop: &Stop) -> Value {
    match stop {
        Stop::Sequence(sequence) => json!(sequence),
        _ => Value::Null,
    }
}

/// Writes a streamed Messages response: converts canonical events to named server-sent events.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    /// The id and model name of the response, as the client receives them.
    head: ResponseHead,
    /// The index of the open content block.
    index: usize,
    /// Whether the open content block is a tool call, which determines the type of its deltas.
    is_tool: bool,
}

impl ResponseWriter {
    /// Creates a writer for the streamed Messages response with this head.
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, index: 0, is_tool: false }
    }
}

impl WriteStream for ResponseWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let mut write_event = |data: Value| sse::write(out, data.get("type").and_then(Value::as_str), &data);
        match event {
            Event::Started(start) => {
                let mut message = message(&self.head);
                message["usage"] = usage::write_usage(start.tokens);
                write_event(json!({"type": "message_start", "message": message}));
            }
            Event::BlockStarted { index, kind } => {
                self.index = index;
                self.is_tool = matches!(kind, BlockKind::Tool { .. });
                let block = match kind {
                    BlockKind::Tool { custom: true, .. } => return Err(UNEXPECTED_CUSTOM_CALL),
                    BlockKind::Tool { id, name, .. } => {
                        json!({"type": "tool_use", "id": id, "name": name, "input": {}})
                    }
                    BlockKind::Text => json!({"type": "text", "text": ""}),
                    BlockKind::Thinking => return Err(UNSIGNED_THINKING),
                };
                write_event(json!({"type": "content_block_start", "index": index, "content_block": block}));
            }
            Event::Delta(more) => {
                let delta = if self.is_tool {
                    json!({"type": "input_json_delta", "partial_json": more})
                } else {
                    json!({"type": "text_delta", "text": more})
                };
                write_event(json!({"type": "content_block_delta", "index": self.index, "delta": delta}));
            }
            Event::BlockStopped => write_event(json!({"type": "content_block_stop", "index": self.index})),
            Event::HiddenThinking => write_event(json!({"type": "ping"})),
            Event::Finished { stop, tokens } => {
                let delta = json!({"stop_reason": stop_reason_name(&stop), "stop_sequence": sequence_of(&stop)});
                write_event(json!({"type": "message_delta", "delta": delta, "usage": usage::write_usage(tokens)}));
                write_event(json!({"type": "message_stop"}));
            }
            Event::Failed(failure) => sse::write_failure(WireApi::AnthropicMessages, &failure, out),
        }
        Ok(())
    }
}
