//! Writes a response of chat completions, streamed or not.

use contracts::WireApi;
use serde_json::{Value, json};

use super::{stop_reason_name, usage};
use crate::convert::{
    ConvertError,
    canonical::response::{BlockKind, Event, Response, ResponseHead},
    sse,
    stream::WriteStream,
};

pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Value {
    let (mut content, mut thought, mut calls) = (None, None, Vec::new());
    for (kind, content_text) in response.blocks {
        match kind {
            BlockKind::Text => content.get_or_insert_with(String::new).push_str(&content_text),
            BlockKind::Thinking => thought.get_or_insert_with(String::new).push_str(&content_text),
            BlockKind::Tool { id, name, custom: false } => {
                calls
                    .push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": content_text}}));
            }
            BlockKind::Tool { id, name, custom: true } => {
                calls.push(json!({"id": id, "type": "custom", "custom": {"name": name, "input": content_text}}));
            }
        }
    }
    let mut message = json!({"role": "assistant", "content": content, "refusal": null});
    if let Some(thought) = thought {
        message["reasoning_content"] = json!(thought);
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
        "usage": usage::write(response.tokens),
    })
}

/// Writer of a streamed chat completion: converts canonical events to chunks.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    head: ResponseHead,
    /// The kind of the open block.
    open: Open,
    /// The number of tool calls so far.
    calls: usize,
}

/// The kind of a content block.
#[derive(Debug, Clone, Copy)]
enum Open {
    Text,
    Thinking,
    Function,
    Custom,
}

impl ResponseWriter {
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, open: Open::Text, calls: 0 }
    }

    fn write_event(&self, delta: &Value, finish_reason: Option<&str>, out: &mut Vec<u8>) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
        self.write_chunk(&json!([choice]), None, out);
    }

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

    fn open(&mut self, kind: BlockKind, out: &mut Vec<u8>) {
        let (id, name, custom) = match kind {
            BlockKind::Text => {
                self.open = Open::Text;
                return;
            }
            BlockKind::Thinking => {
                self.open = Open::Thinking;
                return;
            }
            BlockKind::Tool { id, name, custom } => (id, name, custom),
        };
        let mut call = json!({"index": self.calls, "id": id});
        if custom {
            self.open = Open::Custom;
            call["type"] = json!("custom");
            call["custom"] = json!({"name": name, "input": ""});
        } else {
            self.open = Open::Function;
            call["type"] = json!("function");
            call["function"] = json!({"name": name, "arguments": ""});
        }
        self.calls += 1;
        self.write_event(&json!({"tool_calls": [call]}), None, out);
    }
}

impl WriteStream for ResponseWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) => self.write_event(&json!({"role": "assistant", "content": ""}), None, out),
            Event::BlockStarted { kind, .. } => self.open(kind, out),
            Event::Delta(more) => {
                let index = self.calls.saturating_sub(1);
                let delta = match self.open {
                    Open::Text => json!({"content": more}),
                    Open::Thinking => json!({"reasoning_content": more}),
                    Open::Function => json!({"tool_calls": [{"index": index, "function": {"arguments": more}}]}),
                    Open::Custom => json!({"tool_calls": [{"index": index, "custom": {"input": more}}]}),
                };
                self.write_event(&delta, None, out);
            }
            Event::BlockStopped | Event::HiddenThinking => {}
            Event::Finished { stop, tokens } => {
                self.write_event(&json!({}), Some(stop_reason_name(&stop)), out);
                self.write_chunk(&json!([]), Some(usage::write(tokens)), out);
                out.extend_from_slice(b"data: [DONE]\n\n");
            }
            Event::Failed(failure) => sse::write_failure(WireApi::OpenAiChat, &failure, out),
        }
        Ok(())
    }
}
