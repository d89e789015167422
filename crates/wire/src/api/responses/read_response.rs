//! Parses the responses of `OpenAI`'s Responses, streamed or not, to canonical blocks.

use std::collections::BTreeMap;

use contracts::WireApi;
use serde_json::Value;

use crate::convert::{
    ConvertError,
    blocks::{BlockHandle, BlockSequencer},
    canonical::{
        response::{BlockKind, Failure, Start, Stop},
        tokens::Tokens,
    },
    object::str_at,
    stream::ReadStream,
};

/// The API whose responses are parsed here.
const API: WireApi = WireApi::OpenAiResponses;

/// The error for an item of a type that a converted request cannot cause.
const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has an item of a kind that was not asked for");

/// Parses a response of the Responses API: converts its events to canonical blocks. A response that is not streamed is
/// parsed as one final event.
#[derive(Debug, Default)]
pub(crate) struct ResponseReader {
    /// The block of each part of an output item, by the index of the item in the response and the part.
    parts: BTreeMap<(u64, Part), PartProgress>,
    /// Whether the model has written a refusal.
    has_refusal: bool,
}

/// A part of an output item, which becomes a block. The number is the index among parts of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Text or refusal of a message.
    Content(u64),
    /// A summary of the reasoning.
    Summary(u64),
    /// A text of the reasoning itself.
    Thinking(u64),
    /// The arguments of a tool call.
    Call,
}

/// The block for a part of an output item in a Responses stream, and whether it has content.
#[derive(Debug, Clone, Copy)]
struct PartProgress {
    /// The block of the part.
    handle: BlockHandle,
    /// Whether content has arrived. If not, the content in the event that ends the item is used.
    has_content: bool,
}

/// Parses a response of the Responses API that is not streamed, and adds its content to `blocks`.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has neither output items nor an error, or an item of an unknown type.
pub(crate) fn read_response(response: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
    if !response.get("output").is_some_and(Value::is_array) && response.get("error").is_none_or(Value::is_null) {
        return Err(ConvertError::malformed("the answer", "has no list of items"));
    }
    let mut reader = ResponseReader::default();
    start(response, blocks);
    reader.finish(response, blocks)
}

/// Starts the response in `blocks`, with the id and creation time of a Responses response object.
fn start(response: &Value, blocks: &mut BlockSequencer) {
    blocks.start(Start {
        id: str_at(response, "/id").map(str::to_owned),
        created: response.get("created_at").and_then(Value::as_f64).filter(|time| *time >= 0.0).map(whole_seconds),
        tokens: Tokens::default(),
    });
}

/// Rounds a time in seconds down to a whole number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time in seconds, not negative; some servers add fractions"
)]
fn whole_seconds(seconds: f64) -> u64 {
    seconds as u64
}

impl ReadStream for ResponseReader {
    fn read(&mut self, data: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if data.trim() == "[DONE]" {
            return Ok(());
        }
        let data: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        let kind = str_at(&data, "/type").unwrap_or_default();
        let response = data.get("response").unwrap_or(&Value::Null);
        match kind {
            "response.created" | "response.in_progress" | "response.queued" => start(response, blocks),
            "response.output_item.added" => self.open_item(&data, blocks)?,
            "response.output_text.delta" => self.append_delta(Part::Content, "content_index", &data, blocks)?,
            "response.refusal.delta" => {
                self.has_refusal = true;
                self.append_delta(Part::Content, "content_index", &data, blocks)?;
            }
            "response.reasoning_summary_text.delta" => {
                self.append_delta(Part::Summary, "summary_index", &data, blocks)?;
            }
            "response.reasoning_text.delta" => self.append_delta(Part::Thinking, "content_index", &data, blocks)?,
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.append_delta(|_| Part::Call, "output_index", &data, blocks)?;
            }
            "response.output_item.done" => {
                self.close_item(index(&data, "output_index")?, data.get("item").unwrap_or(&Value::Null), blocks)?;
            }
            "response.completed" | "response.incomplete" | "response.failed" => self.finish(response, blocks)?,
            "error" => {
                blocks.fail(Failure::parse(API, data.get("error").filter(|error| error.is_object()).unwrap_or(&data)));
            }
            // Events that repeat the deltas, and future ones.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _: &mut BlockSequencer) -> Result<(), ConvertError> {
        Ok(())
    }
}

/// Returns the value of the index field with this name in an event of a Responses stream.
///
/// # Errors
/// [`ConvertError::Malformed`] if it is missing.
fn index(data: &Value, name: &str) -> Result<u64, ConvertError> {
    let index = data.get(name).and_then(Value::as_u64);
    index.ok_or(ConvertError::malformed("an event of the stream", "does not say which item it is about"))
}

/// Returns the kind of block for an output item of the Responses API that is a tool call; `None` for messages and
/// reasoning, whose blocks are opened by their parts.
///
/// # Errors
/// [`ConvertError::Malformed`] for items of other types.
fn tool_kind(item: &Value) -> Result<Option<BlockKind>, ConvertError> {
    let string_at = |name: &str| str_at(item, name).unwrap_or_default().to_owned();
    match str_at(item, "/type") {
        Some("message" | "reasoning") => Ok(None),
        Some(kind @ ("function_call" | "custom_tool_call")) => Ok(Some(BlockKind::Tool {
            id: string_at("/call_id"),
            name: string_at("/name"),
            custom: kind == "custom_tool_call",
        })),
        _ => Err(UNKNOWN),
    }
}

impl ResponseReader {
    /// Handles `response.output_item.added` of a Responses stream: opens the block of a tool call. Other items are
    /// opened by their first part.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the item has an unknown type, or a call has no index.
    fn open_item(&mut self, data: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let item = data.get("item").unwrap_or(&Value::Null);
        if let Some(kind) = tool_kind(item)? {
            let progress = PartProgress { handle: blocks.open_block(kind), has_content: false };
            self.parts.insert((index(data, "output_index")?, Part::Call), progress);
        }
        Ok(())
    }

    /// Appends the delta of an event of a Responses stream to the block of its part. `part` creates the part, given the
    /// value of the event's field `index_name`.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if an index is missing, and the errors of `append`.
    fn append_delta(
        &mut self,
        part: impl FnOnce(u64) -> Part,
        index_name: &str,
        data: &Value,
        blocks: &mut BlockSequencer,
    ) -> Result<(), ConvertError> {
        let part = part(index(data, index_name)?);
        let delta = str_at(data, "/delta").unwrap_or_default();
        self.append((index(data, "output_index")?, part), delta, blocks)
    }

    /// Appends content to the block of a part of an output item; `key` is the index of the item and the part. If the
    /// part has no block, text and thinking open one.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the block has ended, or if the part is a tool call that has not started.
    fn append(&mut self, key: (u64, Part), content: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let open_handle = self.parts.get(&key).map(|progress| progress.handle);
        let handle = match (open_handle, key.1) {
            (Some(handle), _) => handle,
            (None, Part::Content(_)) => blocks.open_block(BlockKind::Text),
            (None, Part::Summary(_) | Part::Thinking(_)) => blocks.open_block(BlockKind::Thinking),
            (None, Part::Call) => {
                return Err(ConvertError::malformed("the stream", "goes on with a call that has not begun"));
            }
        };
        let has_content = !content.is_empty() || self.parts.get(&key).is_some_and(|progress| progress.has_content);
        self.parts.insert(key, PartProgress { handle, has_content });
        blocks.append(handle, content)
    }

    /// Handles a finished output item of the Responses API: appends the content of its parts that were not streamed,
    /// and closes its blocks. `item_index` is the index of the item in the response.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the item or one of its parts has an unknown type.
    fn close_item(&mut self, item_index: u64, item: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(kind) = tool_kind(item)? {
            let key = (item_index, Part::Call);
            let name = if matches!(kind, BlockKind::Tool { custom: true, .. }) { "/input" } else { "/arguments" };
            self.parts
                .entry(key)
                .or_insert_with(|| PartProgress { handle: blocks.open_block(kind), has_content: false });
            self.append_unstreamed(key, str_at(item, name).unwrap_or_default(), blocks)?;
        }
        let is_message = str_at(item, "/type") == Some("message");
        for (position, part) in (0..).zip(item.get("content").and_then(Value::as_array).into_iter().flatten()) {
            let (part_key, name) = match str_at(part, "/type") {
                Some("output_text" | "text") if is_message => (Part::Content(position), "/text"),
                Some("refusal") if is_message => {
                    self.has_refusal = true;
                    (Part::Content(position), "/refusal")
                }
                Some("reasoning_text") if !is_message => (Part::Thinking(position), "/text"),
                _ => return Err(UNKNOWN),
            };
            self.append_unstreamed((item_index, part_key), str_at(part, name).unwrap_or_default(), blocks)?;
        }
        for (position, part) in (0..).zip(item.get("summary").and_then(Value::as_array).into_iter().flatten()) {
            self.append_unstreamed(
                (item_index, Part::Summary(position)),
                str_at(part, "/text").unwrap_or_default(),
                blocks,
            )?;
        }
        for (_, progress) in self.parts.range((item_index, Part::Content(0))..=(item_index, Part::Call)) {
            blocks.close_block(progress.handle);
        }
        Ok(())
    }

    /// Appends the complete content of a finished part to its block, unless content was streamed before.
    ///
    /// # Errors
    /// The errors of `append`.
    fn append_unstreamed(
        &mut self,
        key: (u64, Part),
        content: &str,
        blocks: &mut BlockSequencer,
    ) -> Result<(), ConvertError> {
        if self.parts.get(&key).is_some_and(|progress| progress.has_content) {
            return Ok(());
        }
        self.append(key, content, blocks)
    }

    /// Finishes the response with the final object of the Responses API, which repeats all items: content that was not
    /// streamed is appended from it. An error, or the status `failed` or `cancelled`, ends the response as failed.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if an item or part has an unknown type.
    fn finish(&mut self, response: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            blocks.fail(Failure::parse(API, error));
            return Ok(());
        }
        for (index, item) in (0..).zip(response.get("output").and_then(Value::as_array).into_iter().flatten()) {
            self.close_item(index, item, blocks)?;
        }
        let stop = match (str_at(response, "/status"), str_at(response, "/incomplete_details/reason")) {
            (Some("failed" | "cancelled"), _) => {
                blocks.fail(Failure::parse(API, &Value::Null));
                return Ok(());
            }
            (_, Some("content_filter")) => Stop::Refused,
            (Some("incomplete"), _) => Stop::MaxTokens,
            _ if self.has_refusal => Stop::Refused,
            _ => Stop::EndTurn,
        };
        blocks.finish(stop, Tokens::parse(API, response.get("usage").unwrap_or(&Value::Null)));
        Ok(())
    }
}
