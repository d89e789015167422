//! Writes a response of chat completions, streamed or not.

use contracts::WireApi;
use serde_json::{Value, json};

use super::{name_of, usage};
use crate::convert::{
    ConvertError,
    canonical::response::{Answer, Event, Head, Kind},
    sse,
    stream::WriteEvents,
};

pub(crate) fn write_answer(answer: Answer, head: &Head) -> Value {
    let (mut content, mut thought, mut calls) = (None, None, Vec::new());
    for (kind, said) in answer.blocks {
        match kind {
            Kind::Text => content.get_or_insert_with(String::new).push_str(&said),
            Kind::Thinking => thought.get_or_insert_with(String::new).push_str(&said),
            Kind::Tool { id, name, custom: false } => {
                calls.push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": said}}));
            }
            Kind::Tool { id, name, custom: true } => {
                calls.push(json!({"id": id, "type": "custom", "custom": {"name": name, "input": said}}));
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
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": name_of(&answer.stop)});
    json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": head.model,
        "choices": [choice],
        "usage": usage::write(answer.tokens),
    })
}

/// Writes a streamed response.
#[derive(Debug)]
pub(crate) struct AnswerWriter {
    head: Head,
    open: Open,
    /// The number of tool calls so far.
    calls: usize,
}

/// The kind of the open block.
#[derive(Debug, Clone, Copy)]
enum Open {
    Text,
    Thinking,
    Function,
    Custom,
}

impl AnswerWriter {
    pub(crate) const fn new(head: Head) -> Self {
        Self { head, open: Open::Text, calls: 0 }
    }

    fn say(&self, delta: &Value, finish_reason: Option<&str>, out: &mut Vec<u8>) {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
        self.say_chunk(&json!([choice]), None, out);
    }

    fn say_chunk(&self, choices: &Value, usage: Option<Value>, out: &mut Vec<u8>) {
        let Head { id, model, created } = &self.head;
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

    fn open(&mut self, kind: Kind, out: &mut Vec<u8>) {
        let (id, name, custom) = match kind {
            Kind::Text => {
                self.open = Open::Text;
                return;
            }
            Kind::Thinking => {
                self.open = Open::Thinking;
                return;
            }
            Kind::Tool { id, name, custom } => (id, name, custom),
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
        self.say(&json!({"tool_calls": [call]}), None, out);
    }
}

impl WriteEvents for AnswerWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) => self.say(&json!({"role": "assistant", "content": ""}), None, out),
            Event::BlockStarted { kind, .. } => self.open(kind, out),
            Event::Delta(more) => {
                let index = self.calls.saturating_sub(1);
                let delta = match self.open {
                    Open::Text => json!({"content": more}),
                    Open::Thinking => json!({"reasoning_content": more}),
                    Open::Function => json!({"tool_calls": [{"index": index, "function": {"arguments": more}}]}),
                    Open::Custom => json!({"tool_calls": [{"index": index, "custom": {"input": more}}]}),
                };
                self.say(&delta, None, out);
            }
            Event::BlockStopped | Event::Thinking => {}
            Event::Finished { stop, tokens } => {
                self.say(&json!({}), Some(name_of(&stop)), out);
                self.say_chunk(&json!([]), Some(usage::write(tokens)), out);
                out.extend_from_slice(b"data: [DONE]\n\n");
            }
            Event::Failed(failure) => sse::write_failure(WireApi::OpenAiChat, &failure, out),
        }
        Ok(())
    }
}
