//! Parses the responses of Anthropic's Messages, streamed or not, to canonical blocks.

use std::{borrow::Cow, collections::BTreeMap};

use contracts::WireApi;
use serde_json::{Map, Value};

use super::parse_stop_reason;
use crate::convert::{
    ConvertError,
    blocks::{BlockHandle, BlockSequencer},
    canonical::{
        response::{BlockKind, Failure, Start, Stop},
        tokens::Tokens,
    },
    object::{str_at, text_of_arguments},
    stream::ReadStream,
};

/// The API whose responses are parsed here.
const API: WireApi = WireApi::AnthropicMessages;

/// The error for content of a type that a converted request cannot cause.
const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has a block of a kind that was not asked for");

/// Parses a streamed Messages response: converts its events to canonical blocks. Responses that are not streamed are
/// parsed by [`read_response`].
#[derive(Debug, Default)]
pub(crate) struct ResponseReader {
    /// The usage object, merged from all events: the first event has the input counts, later ones have the output
    /// counts.
    usage: Map<String, Value>,
    /// The stop reason, once received.
    stop: Option<Stop>,
    /// The content blocks that have started and not ended, by their index in the stream.
    open_blocks: BTreeMap<u64, OpenBlock>,
}

/// A content block of a Messages stream that has started and not ended.
#[derive(Debug)]
struct OpenBlock {
    /// The canonical block; `None` for encrypted thinking, which cannot be converted.
    handle: Option<BlockHandle>,
    /// The arguments in the start event of a tool call, as JSON text. They are used if no delta follows.
    input: Option<String>,
}

/// Returns the canonical start of a Messages response from its message object, with the token counts known at the
/// start.
fn start_of(message: &Value, tokens: Tokens) -> Start {
    Start { id: str_at(message, "/id").map(str::to_owned), created: None, tokens }
}

/// Parses a content block of a Messages response. Returns its kind and the content that it already has; the kind is
/// `None` for redacted thinking, which is encrypted and cannot be converted.
///
/// # Errors
/// [`ConvertError::Malformed`] if the type of the block is unknown, or the arguments of a tool call are too long.
fn read_block(block: &Value) -> Result<(Option<BlockKind>, Cow<'_, str>), ConvertError> {
    let text_at = |name: &str| str_at(block, name).unwrap_or_default();
    Ok(match str_at(block, "/type") {
        Some("text") => (Some(BlockKind::Text), text_at("/text").into()),
        Some("thinking") => (Some(BlockKind::Thinking), text_at("/thinking").into()),
        Some("redacted_thinking") => (None, "".into()),
        Some("tool_use") => {
            let input = block.get("input").filter(|input| input.as_object().is_some_and(|map| !map.is_empty()));
            let input = input.map(text_of_arguments).transpose()?.unwrap_or_default();
            let (id, name) = (text_at("/id").to_owned(), text_at("/name").to_owned());
            (Some(BlockKind::Tool { id, name, custom: false }), input.into())
        }
        _ => return Err(UNKNOWN),
    })
}

/// Parses a Messages response that is not streamed, and adds its content to `blocks`. An error object ends the response
/// as failed.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has no list of blocks, or a block of an unknown type.
pub(crate) fn read_response(response: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
    if let Some(error) = response.get("error") {
        blocks.fail(Failure::parse(API, error));
        return Ok(());
    }
    let tokens = Tokens::parse(API, response.get("usage").unwrap_or(&Value::Null));
    blocks.start(start_of(response, tokens));
    let content = response.get("content").and_then(Value::as_array);
    for block in content.ok_or(ConvertError::malformed("the answer", "has no list of blocks"))? {
        if let (Some(kind), content) = read_block(block)? {
            let handle = blocks.open_block(kind);
            blocks.append(handle, &content)?;
            blocks.close_block(handle);
        }
    }
    let reason = str_at(response, "/stop_reason").unwrap_or("end_turn");
    blocks.finish(parse_stop_reason(reason, str_at(response, "/stop_sequence")), tokens);
    Ok(())
}

impl ReadStream for ResponseReader {
    fn read(&mut self, data: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let data: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        match str_at(&data, "/type").unwrap_or_default() {
            "message_start" => {
                let message = data.get("message").unwrap_or(&Value::Null);
                blocks.start(start_of(message, self.merge_usage(message.get("usage"))));
                Ok(())
            }
            "content_block_start" => self.open_block(&data, blocks),
            "content_block_delta" => self.append_delta(&data, blocks),
            "content_block_stop" => self.close_block(&data, blocks),
            "message_delta" => {
                if let Some(reason) = str_at(&data, "/delta/stop_reason") {
                    self.stop = Some(parse_stop_reason(reason, str_at(&data, "/delta/stop_sequence")));
                }
                self.merge_usage(data.get("usage"));
                Ok(())
            }
            "message_stop" => {
                blocks.finish(self.stop.take().unwrap_or(Stop::EndTurn), self.merge_usage(None));
                Ok(())
            }
            "error" => {
                blocks.fail(Failure::parse(API, data.get("error").unwrap_or(&Value::Null)));
                Ok(())
            }
            // Pings and future events: Anthropic requires clients to ignore unknown ones.
            _ => Ok(()),
        }
    }

    fn end(&mut self, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(stop) = self.stop.take() {
            blocks.finish(stop, self.merge_usage(None));
        }
        Ok(())
    }
}

impl ResponseReader {
    /// Merges a usage object of a Messages stream into the earlier ones and returns the resulting token counts. Fields
    /// that are `null` do not replace earlier values.
    fn merge_usage(&mut self, usage: Option<&Value>) -> Tokens {
        let more = usage.and_then(Value::as_object).into_iter().flatten().filter(|(_, value)| !value.is_null());
        self.usage.extend(more.map(|(name, value)| (name.clone(), value.clone())));
        Tokens::parse(API, &Value::Object(self.usage.clone()))
    }

    /// Returns the index of the content block to which an event of a Messages stream belongs.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the event has no index.
    fn index(data: &Value) -> Result<u64, ConvertError> {
        let index = data.get("index").and_then(Value::as_u64);
        index.ok_or(ConvertError::malformed("an event of the stream", "does not say which block it is about"))
    }

    /// Handles `content_block_start` of a Messages stream: opens a canonical block with the content of the event.
    /// Arguments of a tool call are stored until a delta follows or the block ends.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the type of the block is unknown, or the event has no index.
    fn open_block(&mut self, data: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let (kind, content) = read_block(data.get("content_block").unwrap_or(&Value::Null))?;
        let is_tool = matches!(kind, Some(BlockKind::Tool { .. }));
        let handle = kind.map(|kind| blocks.open_block(kind));
        let mut open_block = OpenBlock { handle, input: None };
        match handle {
            Some(_) if is_tool => open_block.input = Some(content.into_owned()),
            Some(handle) => blocks.append(handle, &content)?,
            None => {}
        }
        self.open_blocks.insert(Self::index(data)?, open_block);
        Ok(())
    }

    /// Handles `content_block_delta` of a Messages stream: appends text, thinking or arguments to the open block.
    /// Signatures and citations are ignored.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the block is not open, or the type of the delta is unknown.
    fn append_delta(&mut self, data: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let open_block = self.open_blocks.get_mut(&Self::index(data)?);
        let open_block =
            open_block.ok_or(ConvertError::malformed("the stream", "goes on with a block that is not open"))?;
        let delta_text = match str_at(data, "/delta/type") {
            Some("text_delta") => str_at(data, "/delta/text"),
            Some("thinking_delta") => str_at(data, "/delta/thinking"),
            Some("input_json_delta") => str_at(data, "/delta/partial_json"),
            // Signatures and citations have no counterpart in other APIs.
            Some("signature_delta" | "citations_delta") => return Ok(()),
            _ => return Err(UNKNOWN),
        };
        let delta_text = delta_text.unwrap_or_default();
        if !delta_text.is_empty() {
            open_block.input = None;
        }
        open_block.handle.map_or(Ok(()), |handle| blocks.append(handle, delta_text))
    }

    /// Handles `content_block_stop` of a Messages stream: closes the canonical block. If no delta of a tool call
    /// arrived, the arguments of its start event are appended first.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the event has no index.
    fn close_block(&mut self, data: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let Some(OpenBlock { handle: Some(handle), input }) = self.open_blocks.remove(&Self::index(data)?) else {
            return Ok(());
        };
        if let Some(input) = input {
            blocks.append(handle, &input)?;
        }
        blocks.close_block(handle);
        Ok(())
    }
}
