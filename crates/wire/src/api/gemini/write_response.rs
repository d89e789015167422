//! Writes the responses of Gemini, streamed or not, from the canonical form.

use contracts::WireApi;
use serde_json::{Value, json};

use super::usage;
use crate::convert::{
    ConvertError,
    canonical::{
        request::parse_arguments,
        response::{BlockKind, Event, Response, ResponseHead, Stop},
        tokens::Tokens,
    },
    sse,
    stream::WriteStream,
};

/// Writes the body of a `generateContent` response that is not streamed. A call that was cut off at the output limit is
/// omitted.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has a call of a custom tool, or another call whose arguments are not an
/// object.
pub(crate) fn write_response(response: Response, head: &ResponseHead) -> Result<Value, ConvertError> {
    let mut parts = Vec::with_capacity(response.blocks.len());
    for (kind, content) in response.blocks {
        match part(&kind, &content) {
            Ok(part) => parts.push(part),
            Err(_) if response.stop == Stop::MaxTokens => {}
            Err(error) => return Err(error),
        }
    }
    Ok(final_chunk(head, &parts, &response.stop, response.tokens))
}

/// Writes a block as a part of a Gemini content.
///
/// # Errors
/// [`ConvertError::Malformed`] for a call of a custom tool, which Gemini does not have, and for a call whose arguments
/// are not an object.
fn part(kind: &BlockKind, content: &str) -> Result<Value, ConvertError> {
    match kind {
        BlockKind::Text => Ok(json!({"text": content})),
        BlockKind::Thinking => Ok(json!({"text": content, "thought": true})),
        BlockKind::Tool { custom: true, .. } => {
            Err(ConvertError::malformed("the answer", "calls a custom tool, which was not offered"))
        }
        BlockKind::Tool { id, name, custom: false } => {
            Ok(json!({"functionCall": {"id": id, "name": name, "args": parse_arguments(content)?}}))
        }
    }
}

/// Builds a non-final chunk of a streamed `generateContent` response: one candidate with these parts, without finish
/// reason and usage.
fn chunk(head: &ResponseHead, parts: &[Value]) -> Value {
    let content = json!({"role": "model", "parts": parts});
    json!({
        "candidates": [{"content": content, "index": 0}],
        "modelVersion": head.model,
        "responseId": head.id,
    })
}

/// Builds the final chunk of a streamed `generateContent` response, or a response that is not streamed: a chunk with
/// the finish reason and the usage.
fn final_chunk(head: &ResponseHead, parts: &[Value], stop: &Stop, tokens: Tokens) -> Value {
    let mut response = chunk(head, parts);
    response["candidates"][0]["finishReason"] = json!(match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::Sequence(_) => "STOP",
        Stop::MaxTokens => "MAX_TOKENS",
        Stop::Refused => "SAFETY",
    });
    response["usageMetadata"] = usage::write_usage(tokens);
    response
}

/// Writes a streamed `generateContent` response: converts canonical events to chunks. A function call is written in one
/// chunk when its block ends.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    /// The id and model name of the response, as the client receives them.
    head: ResponseHead,
    /// The kind of the open block; `None` between blocks.
    open_block: Option<BlockKind>,
    /// The arguments of the open call so far. A call is written in one piece when its block ends, because Gemini's
    /// calls are not split into deltas.
    arguments: String,
    /// The error of a call whose arguments are not an object. It is discarded if the response was cut off at its output
    /// limit.
    call_error: Option<ConvertError>,
}

impl ResponseWriter {
    /// Creates a writer for the streamed Gemini response with this head.
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, open_block: None, arguments: String::new(), call_error: None }
    }

    /// Appends a chunk of a Gemini stream with this part to `out`.
    fn write_event(&self, part: Value, out: &mut Vec<u8>) {
        sse::write(out, None, &chunk(&self.head, &[part]));
    }
}

impl WriteStream for ResponseWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) | Event::HiddenThinking => {}
            Event::BlockStarted { kind, .. } => self.open_block = Some(kind),
            Event::Delta(more) => match &self.open_block {
                Some(BlockKind::Tool { .. }) => self.arguments.push_str(&more),
                Some(kind) => self.write_event(part(kind, &more)?, out),
                None => {}
            },
            Event::BlockStopped => {
                let arguments = std::mem::take(&mut self.arguments);
                if let Some(call @ BlockKind::Tool { .. }) = self.open_block.take() {
                    match part(&call, &arguments) {
                        Ok(part) => self.write_event(part, out),
                        Err(error) => self.call_error = Some(error),
                    }
                }
            }
            Event::Finished { stop, tokens } => {
                if let Some(error) = self.call_error.take().filter(|_| stop != Stop::MaxTokens) {
                    return Err(error);
                }
                sse::write(out, None, &final_chunk(&self.head, &[json!({"text": ""})], &stop, tokens));
            }
            Event::Failed(failure) => sse::write_failure(WireApi::Gemini, &failure, out),
        }
        Ok(())
    }
}
