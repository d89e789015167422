//! Writes a response of Gemini, streamed or not.

use contracts::WireApi;
use serde_json::{Value, json};

use super::usage;
use crate::convert::{
    ConvertError,
    canonical::{
        request::object_of,
        response::{Answer, Event, Head, Kind, Stop},
        tokens::Tokens,
    },
    sse,
    stream::WriteEvents,
};

pub(crate) fn write_answer(answer: Answer, head: &Head) -> Result<Value, ConvertError> {
    let mut parts = Vec::with_capacity(answer.blocks.len());
    for (kind, said) in answer.blocks {
        match part(&kind, &said) {
            Ok(part) => parts.push(part),
            Err(_) if answer.stop == Stop::MaxTokens => {}
            Err(error) => return Err(error),
        }
    }
    Ok(finished(head, &parts, &answer.stop, answer.tokens))
}

fn part(kind: &Kind, said: &str) -> Result<Value, ConvertError> {
    match kind {
        Kind::Text => Ok(json!({"text": said})),
        Kind::Thinking => Ok(json!({"text": said, "thought": true})),
        Kind::Tool { custom: true, .. } => {
            Err(ConvertError::malformed("the answer", "calls a custom tool, which was not offered"))
        }
        Kind::Tool { id, name, custom: false } => {
            Ok(json!({"functionCall": {"id": id, "name": name, "args": object_of(said)?}}))
        }
    }
}

/// Returns a non-final chunk of a streamed response.
fn piece(head: &Head, parts: &[Value]) -> Value {
    let content = json!({"role": "model", "parts": parts});
    json!({
        "candidates": [{"content": content, "index": 0}],
        "modelVersion": head.model,
        "responseId": head.id,
    })
}

/// Returns the final chunk of a streamed response, or a response that is not streamed.
fn finished(head: &Head, parts: &[Value], stop: &Stop, tokens: Tokens) -> Value {
    let mut answer = piece(head, parts);
    answer["candidates"][0]["finishReason"] = json!(match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Sequence(_) => "STOP",
        Stop::MaxTokens => "MAX_TOKENS",
        Stop::Refused => "SAFETY",
    });
    answer["usageMetadata"] = usage::write(tokens);
    answer
}

/// Writes a streamed response.
#[derive(Debug)]
pub(crate) struct AnswerWriter {
    head: Head,
    open: Option<Kind>,
    /// The arguments of the open call so far; Gemini's calls are not split into deltas.
    arguments: String,
    /// The error of a call whose arguments are not an object. It is ignored if the response turns out to be cut off.
    broken: Option<ConvertError>,
}

impl AnswerWriter {
    pub(crate) const fn new(head: Head) -> Self {
        Self { head, open: None, arguments: String::new(), broken: None }
    }

    fn say(&self, part: Value, out: &mut Vec<u8>) {
        sse::write(out, None, &piece(&self.head, &[part]));
    }
}

impl WriteEvents for AnswerWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) | Event::Thinking => {}
            Event::BlockStarted { kind, .. } => self.open = Some(kind),
            Event::Delta(more) => match &self.open {
                Some(Kind::Tool { .. }) => self.arguments.push_str(&more),
                Some(kind) => self.say(part(kind, &more)?, out),
                None => {}
            },
            Event::BlockStopped => {
                let arguments = std::mem::take(&mut self.arguments);
                if let Some(call @ Kind::Tool { .. }) = self.open.take() {
                    match part(&call, &arguments) {
                        Ok(part) => self.say(part, out),
                        Err(error) => self.broken = Some(error),
                    }
                }
            }
            Event::Finished { stop, tokens } => {
                if let Some(error) = self.broken.take().filter(|_| stop != Stop::MaxTokens) {
                    return Err(error);
                }
                sse::write(out, None, &finished(&self.head, &[json!({"text": ""})], &stop, tokens));
            }
            Event::Failed(failure) => sse::write_failure(WireApi::Gemini, &failure, out),
        }
        Ok(())
    }
}
