//! Parses chat completions, streamed or not, to canonical blocks.

use contracts::WireApi;
use serde_json::Value;

use super::{parse_stop_reason, read_calls::Calls};
use crate::convert::{
    ConvertError,
    blocks::BlockSequencer,
    canonical::{
        response::{BlockKind, Failure, Start, Stop},
        tokens::Tokens,
    },
    object::str_at,
    stream::ReadStream,
};

/// The API whose responses are parsed here.
const API: WireApi = WireApi::OpenAiChat;

/// The error for content of a type that a converted request cannot cause.
const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has content of a kind that was not asked for");

/// Parses a chat completion: converts its chunks to canonical blocks. A response that is not streamed is parsed as one
/// chunk.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    /// The tool calls so far.
    calls: Calls,
    /// The token counts of the last usage object.
    tokens: Tokens,
    /// The stop reason, once received.
    stop: Option<Stop>,
    /// Whether the model has written a refusal.
    has_refusal: bool,
}

/// Parses a chat completion that is not streamed, and adds its content to `blocks`. An error object ends the response
/// as failed.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has neither choices nor an error, or content that was not requested.
pub(crate) fn read_response(response: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
    if response.get("error").is_none_or(Value::is_null) && response.get("choices").and_then(Value::as_array).is_none() {
        return Err(ConvertError::malformed("the answer", "has no list of choices"));
    }
    let mut reader = ResponseReader::new(str_at(response, "/id").unwrap_or_default());
    reader.read_chunk(response, "message", blocks)?;
    reader.finish(blocks)
}

impl ResponseReader {
    /// Creates a reader. Ids of tool calls that have none are derived from `response_id`, the id of the response.
    pub(crate) fn new(response_id: &str) -> Self {
        Self { calls: Calls::new(response_id), tokens: Tokens::default(), stop: None, has_refusal: false }
    }

    /// Parses a chunk of a chat completion and adds its content to `blocks`. The content of a choice is in its member
    /// `content_field`: `delta` in a stream, `message` otherwise.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the chunk has a second choice, or content that was not requested.
    fn read_chunk(
        &mut self,
        chunk: &Value,
        content_field: &str,
        blocks: &mut BlockSequencer,
    ) -> Result<(), ConvertError> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            blocks.fail(Failure::parse(API, error));
            return Ok(());
        }
        blocks.start(Start {
            id: str_at(chunk, "/id").filter(|id| !id.is_empty()).map(str::to_owned),
            created: chunk.get("created").and_then(Value::as_u64),
            tokens: Tokens::default(),
        });
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.tokens = Tokens::parse(API, usage);
        }
        for choice in chunk.get("choices").and_then(Value::as_array).into_iter().flatten() {
            if choice.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                return Err(ConvertError::malformed("the answer", "has more choices than were asked for"));
            }
            if let Some(message) = choice.get(content_field) {
                self.read_delta(message, blocks)?;
            }
            match str_at(choice, "/finish_reason") {
                None => {}
                Some("error") => blocks.fail(Failure::parse(API, choice.get("error").unwrap_or(&Value::Null))),
                Some(reason) => self.stop = Some(parse_stop_reason(reason)),
            }
        }
        Ok(())
    }

    /// Appends the content of a choice of a chat completion to `blocks`: text, thinking, refusal and tool calls.
    /// `message` is the delta of a chunk, or the message of a response that is not streamed.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if it has content that was not requested, such as audio.
    fn read_delta(&mut self, message: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        for name in ["audio", "images", "function_call"] {
            let has_content = |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
            if message.get(name).is_some_and(has_content) {
                return Err(UNKNOWN);
            }
        }
        // DeepSeek, vLLM and others use the first field, OpenRouter the second, some both.
        let thinking = ["/reasoning_content", "/reasoning"].into_iter().find_map(|name| str_at(message, name));
        blocks.append_run(BlockKind::Thinking, thinking.unwrap_or_default())?;
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(content)) => blocks.append_run(BlockKind::Text, content)?,
            Some(Value::Array(parts)) => {
                for part in parts {
                    let content = str_at(part, "/text").filter(|_| str_at(part, "/type") == Some("text"));
                    blocks.append_run(BlockKind::Text, content.ok_or(UNKNOWN)?)?;
                }
            }
            Some(_) => return Err(UNKNOWN),
        }
        if let Some(refusal) = str_at(message, "/refusal").filter(|refusal| !refusal.is_empty()) {
            self.has_refusal = true;
            blocks.append_run(BlockKind::Text, refusal)?;
        }
        for (position, call) in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.calls.read(position, call, blocks)?;
        }
        Ok(())
    }

    /// Finishes the chat completion in `blocks` with the stop reason and the token counts received so far. A refusal
    /// takes precedence over the received stop reason. Does nothing if the response has ended.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if a tool call has no name.
    fn finish(&mut self, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if blocks.has_ended() {
            return Ok(());
        }
        self.calls.finish()?;
        let stop = self.stop.take().unwrap_or(Stop::EndTurn);
        blocks.finish(if self.has_refusal { Stop::Refused } else { stop }, self.tokens);
        Ok(())
    }
}

impl ReadStream for ResponseReader {
    fn read(&mut self, data: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if data.trim() == "[DONE]" {
            return self.finish(blocks);
        }
        let chunk: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        self.read_chunk(&chunk, "delta", blocks)
    }

    /// Finishes a stream without `[DONE]`, which some compatible servers omit, if a finish reason was received. The
    /// usage follows the finish reason, so it is complete only at the end of the stream.
    fn end(&mut self, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if self.stop.is_some() { self.finish(blocks) } else { Ok(()) }
    }
}
