//! Writes chat completions, streamed or not, from the canonical form.

use contracts::WireApi;
use serde_json::{Value, json};

use super::{stop_reason_name, usage};
use crate::convert::{
    ConvertError,
    canonical::response::{BlockKind, Event, Response, ResponseHead},
    sse,
    stream::WriteStream,
};

/// Writes the body of a chat completion that is not streamed, with one choice. Texts of several blocks are joined;
/// thinking is written as `reasoning_content`.
pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Value {
    let (mut content, mut thinking, mut calls) = (None, None, Vec::new());
    for (kind, text) in response.blocks {
        match kind {
            BlockKind::Text => content.get_or_insert_with(String::new).push_str(&text),
            BlockKind::Thinking => thinking.get_or_insert_with(String::new).push_str(&text),
            BlockKind::Tool { id, name, custom: false } => {
                calls.push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": text}}));
            }
            BlockKind::Tool { id, name, custom: true } => {
                calls.push(json!({"id": id, "type": "custom", "custom": {"name": name, "input": text}}));
            }
        }
    }
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    if let Some(thinking) = thinking {
        message["reasoning_content"] = json!(thinking);
    }
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
    }
    let choice =
        json!({"index": 0, "message": message, "logprobs": null, "finish_reason": stop_reason_name(&response.stop)});
    json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": head.model,
        "choices": [choice],
        "usage": usage::write_usage(response.tokens),
    })
}

/// Writes a streamed chat completion: converts canonical events to chunks.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    /// The id, model name and creation time of the response, as the client receives them.
    head: ResponseHead,
    /// The kind of the open block.
    open_block: OpenBlock,
    /// The number of tool calls so far. The open call has the index `call_count - 1`.
    call_count: usize,
}

/// The kind of the open content block, which determines the form of its deltas.
#[derive(Debug, Clone, Copy)]
enum OpenBlock {
    /// Text, in `content`.
    Text,
    /// Thinking, in `reasoning_content`.
    Thinking,
    /// A call of a function, in `function.arguments`.
    Function,
    /// A call of a custom tool, in `custom.input`.
    Custom,
}

impl ResponseWriter {
    /// Creates a writer for the streamed chat completion with this head.
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, open_block: OpenBlock::Text, call_count: 0 }
    }

    /// Appends a chunk of a chat completion with one choice to `out`, with this delta and finish reason (`null` if
    /// `None`).
    fn write_event(&self, delta: &Value, finish_reason: Option<&str>, out: &mut Vec<u8>) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
        self.write_chunk(&json!([choice]), None, out);
    }

    /// Appends a chunk of a chat completion with these choices to `out`; without the member `usage` if it is `None`.
    fn write_chunk(&self, choices: &Value, usage: Option<Value>, out: &mut Vec<u8>) {
        let ResponseHead { id, model, created } = &self.head;
        let mut chunk = json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
            "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        sse::write(out, None, &chunk);
    }

    /// Starts a block of a streamed chat completion: sets the kind of the open block. For a tool call, appends a chunk
    /// with its id and name to `out`.
    fn start_block(&mut self, kind: BlockKind, out: &mut Vec<u8>) {
        let (id, name, custom) = match kind {
            BlockKind::Text => {
                self.open_block = OpenBlock::Text;
                return;
            }
            BlockKind::Thinking => {
                self.open_block = OpenBlock::Thinking;
                return;
            }
            BlockKind::Tool { id, name, custom } => (id, name, custom),
        };
        let mut call = json!({"index": self.call_count, "id": id});
        if custom {
            self.open_block = OpenBlock::Custom;
            call["type"] = json!("custom");
            call["custom"] = json!({"name": name, "input": ""});
        } else {
            self.open_block = OpenBlock::Function;
            call["type"] = json!("function");
            call["function"] = json!({"name": name, "arguments": ""});
        }
        self.call_count += 1;
        self.write_event(&json!({"tool_calls": [call]}), None, out);
    }
}

impl WriteStream for ResponseWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) => self.write_event(&json!({"role": "assistant", "content": ""}), None, out),
            Event::BlockStarted { kind, .. } => self.start_block(kind, out),
            Event::Delta(more) => {
                let index = self.call_count.saturating_sub(1);
                let delta = match self.open_block {
                    OpenBlock::Text => json!({"content": more}),
                    OpenBlock::Thinking => json!({"reasoning_content": more}),
                    OpenBlock::Function => json!({"tool_calls": [{"index": index, "function": {"arguments": more}}]}),
                    OpenBlock::Custom => json!({"tool_calls": [{"index": index, "custom": {"input": more}}]}),
                };
                self.write_event(&delta, None, out);
            }
            Event::BlockStopped | Event::HiddenThinking => {}
            Event::Finished { stop, tokens } => {
                self.write_event(&json!({}), Some(stop_reason_name(&stop)), out);
                self.write_chunk(&json!([]), Some(usage::write_usage(tokens)), out);
                out.extend_from_slice(b"data: [DONE]\n\n");
            }
            Event::Failed(failure) => sse::write_failure(WireApi::OpenAiChat, &failure, out),
        }
        Ok(())
    }
}
