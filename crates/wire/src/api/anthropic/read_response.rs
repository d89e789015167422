//! Parses a response of Anthropic's Messages, streamed or not.

use std::collections::BTreeMap;

use contracts::WireApi;
use serde_json::{Map, Value};

use super::parse_stop_reason;
use crate::convert::{
    ConvertError,
    blocks::{Blocks, Handle},
    canonical::{
        response::{Failure, Kind, Start, Stop},
        tokens::Tokens,
    },
    stream::ReadStream,
};

const API: WireApi = WireApi::AnthropicMessages;

const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has a block of a kind that was not asked for");

/// Parser of a Messages response: converts the events of its stream to canonical blocks.
#[derive(Debug, Default)]
pub(crate) struct ResponseReader {
    /// The usage object, merged from all events: the first event has the input counts, later ones have the output
    /// counts.
    account: Map<String, Value>,
    /// The stop reason, once received.
    stop: Option<Stop>,
    /// The open content blocks by their index in the stream.
    open: BTreeMap<u64, Open>,
}

/// An open content block of the stream.
#[derive(Debug)]
struct Open {
    /// The canonical block; `None` for encrypted thinking, which cannot be converted.
    handle: Option<Handle>,
    /// The arguments in the start event of a tool call. They are used if no delta follows.
    input: Option<String>,
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

fn start_of(message: &Value, tokens: Tokens) -> Start {
    Start { id: text(message, "/id").map(str::to_owned), created: None, tokens }
}

/// Returns the kind of a content block and its initial content. The kind is `None` for encrypted thinking.
fn read_block(block: &Value) -> Result<(Option<Kind>, String), ConvertError> {
    let content_text = |name: &str| text(block, name).unwrap_or_default().to_owned();
    Ok(match text(block, "/type") {
        Some("text") => (Some(Kind::Text), content_text("/text")),
        Some("thinking") => (Some(Kind::Thinking), content_text("/thinking")),
        Some("redacted_thinking") => (None, String::new()),
        Some("tool_use") => {
            let input = block.get("input").filter(|input| input.as_object().is_some_and(|map| !map.is_empty()));
            let input = input.map(Value::to_string).unwrap_or_default();
            (Some(Kind::Tool { id: content_text("/id"), name: content_text("/name"), custom: false }), input)
        }
        _ => return Err(UNKNOWN),
    })
}

pub(crate) fn read_response(answer: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
    if let Some(error) = answer.get("error") {
        blocks.fail(Failure::of(API, error));
        return Ok(());
    }
    let tokens = Tokens::of(API, answer.get("usage").unwrap_or(&Value::Null));
    blocks.start(start_of(answer, tokens));
    let content = answer.get("content").and_then(Value::as_array);
    for block in content.ok_or(ConvertError::malformed("the answer", "has no list of blocks"))? {
        if let (Some(kind), content_text) = read_block(block)? {
            let handle = blocks.open(kind);
            blocks.delta(handle, &content_text)?;
            blocks.close(handle);
        }
    }
    let reason = text(answer, "/stop_reason").unwrap_or("end_turn");
    blocks.finish(parse_stop_reason(reason, text(answer, "/stop_sequence")), tokens);
    Ok(())
}

impl ReadStream for ResponseReader {
    fn read(&mut self, data: &str, blocks: &mut Blocks) -> Result<(), ConvertError> {
        let data: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        match text(&data, "/type").unwrap_or_default() {
            "message_start" => {
                let message = data.get("message").unwrap_or(&Value::Null);
                blocks.start(start_of(message, self.add(message.get("usage"))));
                Ok(())
            }
            "content_block_start" => self.open(&data, blocks),
            "content_block_delta" => self.append_delta(&data, blocks),
            "content_block_stop" => self.close(&data, blocks),
            "message_delta" => {
                if let Some(reason) = text(&data, "/delta/stop_reason") {
                    self.stop = Some(parse_stop_reason(reason, text(&data, "/delta/stop_sequence")));
                }
                self.add(data.get("usage"));
                Ok(())
            }
            "message_stop" => {
                blocks.finish(self.stop.take().unwrap_or(Stop::EndTurn), self.add(None));
                Ok(())
            }
            "error" => {
                blocks.fail(Failure::of(API, data.get("error").unwrap_or(&Value::Null)));
                Ok(())
            }
            // Pings and future events: Anthropic requires clients to ignore unknown ones.
            _ => Ok(()),
        }
    }

    fn end(&mut self, blocks: &mut Blocks) -> Result<(), ConvertError> {
        if let Some(stop) = self.stop.take() {
            blocks.finish(stop, self.add(None));
        }
        Ok(())
    }
}

impl ResponseReader {
    /// Merges a usage object into the ones before and returns the token counts.
    fn add(&mut self, account: Option<&Value>) -> Tokens {
        let more = account.and_then(Value::as_object).into_iter().flatten().filter(|(_, value)| !value.is_null());
        self.account.extend(more.map(|(name, value)| (name.clone(), value.clone())));
        Tokens::of(API, &Value::Object(self.account.clone()))
    }

    fn index(data: &Value) -> Result<u64, ConvertError> {
        let index = data.get("index").and_then(Value::as_u64);
        index.ok_or(ConvertError::malformed("an event of the stream", "does not say which block it is about"))
    }

    fn open(&mut self, data: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
        let (kind, content_text) = read_block(data.get("content_block").unwrap_or(&Value::Null))?;
        let is_tool = matches!(kind, Some(Kind::Tool { .. }));
        let handle = kind.map(|kind| blocks.open(kind));
        let mut open = Open { handle, input: None };
        match handle {
            Some(_) if is_tool => open.input = Some(content_text),
            Some(handle) => blocks.delta(handle, &content_text)?,
            None => {}
        }
        self.open.insert(Self::index(data)?, open);
        Ok(())
    }

    fn append_delta(&mut self, data: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
        let open = self.open.get_mut(&Self::index(data)?);
        let open = open.ok_or(ConvertError::malformed("the stream", "goes on with a block that is not open"))?;
        let more = match text(data, "/delta/type") {
            Some("text_delta") => text(data, "/delta/text"),
            Some("thinking_delta") => text(data, "/delta/thinking"),
            Some("input_json_delta") => text(data, "/delta/partial_json"),
            // Signatures and citations have no counterpart in other APIs.
            Some("signature_delta" | "citations_delta") => return Ok(()),
            _ => return Err(UNKNOWN),
        };
        let more = more.unwrap_or_default();
        if !more.is_empty() {
            open.input = None;
        }
        open.handle.map_or(Ok(()), |handle| blocks.delta(handle, more))
    }

    fn close(&mut self, data: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
        let Some(Open { handle: Some(handle), input }) = self.open.remove(&Self::index(data)?) else {
            return Ok(());
        };
        if let Some(input) = input {
            blocks.delta(handle, &input)?;
        }
        blocks.close(handle);
        Ok(())
    }
}
