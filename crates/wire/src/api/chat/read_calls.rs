//! Parses the tool calls of a streamed chat completion, whose deltas may be interleaved.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::Value;

use crate::convert::{
    ConvertError,
    blocks::{BlockHandle, BlockSequencer, MAX_CONTENT_BYTES},
    canonical::response::BlockKind,
    ids,
    object::{str_at, text_of_arguments},
};

/// The tool calls of one streamed chat completion, assembled from their deltas and added to the block sequence.
#[derive(Debug)]
pub(super) struct Calls {
    /// The id of the response, from which missing call ids are derived.
    response_id: String,
    /// The calls by the index that their deltas have.
    by_index: BTreeMap<u64, Call>,
    /// The number of calls that were opened in the block sequence. Missing ids are also derived from it.
    opened_count: usize,
}

/// A tool call of a streamed chat completion, some of whose deltas have arrived.
#[derive(Debug, Default)]
struct Call {
    /// The id of the call; `None` until it is received or derived.
    id: Option<String>,
    /// The block of the call; `None` until the name of the tool is known, which opens it.
    handle: Option<BlockHandle>,
    /// Argument deltas that arrived before the name of the tool.
    buffered: String,
}

/// Returns the string at a JSON pointer; `None` if it is missing, empty or of another type.
fn filled_str_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    str_at(value, pointer).filter(|text| !text.is_empty())
}

impl Calls {
    /// Creates an empty list of tool calls. Ids of calls that have none are derived from `response_id`.
    pub(super) fn new(response_id: &str) -> Self {
        Self { response_id: response_id.to_owned(), by_index: BTreeMap::new(), opened_count: 0 }
    }

    /// Reads a delta of a tool call in a streamed chat completion and appends its content to `blocks`. `position` is
    /// the index of the delta in the list of its chunk.
    ///
    /// The field `index` identifies the call. Some servers send none, and some send the same one for every call, so a
    /// new id with a name starts a new call.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the arguments are neither a string nor an object, or follow the end of the call.
    pub(super) fn read(
        &mut self,
        position: usize,
        delta: &Value,
        blocks: &mut BlockSequencer,
    ) -> Result<(), ConvertError> {
        let is_custom = filled_str_at(delta, "/type") == Some("custom") || delta.get("custom").is_some();
        let [name, arguments] =
            if is_custom { ["/custom/name", "/custom/input"] } else { ["/function/name", "/function/arguments"] };
        let (id, name) = (filled_str_at(delta, "/id"), filled_str_at(delta, name));
        let index = match delta.get("index").and_then(Value::as_u64) {
            Some(index) => index,
            None => self.index_for_unindexed(position, id),
        };
        let call = self.by_index.entry(index).or_default();
        if let (Some(id), Some(_), Some(call_id)) = (id, name, &call.id)
            && id != call_id
        {
            if let Some(handle) = call.handle {
                blocks.close_block(handle);
            }
            *call = Call::default();
        }
        if call.id.is_none() {
            call.id = id.map(str::to_owned);
        }
        if let (None, Some(name)) = (call.handle, name) {
            let id = call.id.get_or_insert_with(|| ids::derived_call_id(&self.response_id, self.opened_count)).clone();
            self.opened_count += 1;
            let handle = blocks.open_block(BlockKind::Tool { id, name: name.to_owned(), custom: is_custom });
            blocks.append(handle, &std::mem::take(&mut call.buffered))?;
            call.handle = Some(handle);
        }
        let arguments_delta = match delta.pointer(arguments) {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::String(arguments_delta)) => Cow::Borrowed(arguments_delta.as_str()),
            // Some servers send an object instead of its JSON text.
            Some(object @ Value::Object(_)) => Cow::Owned(text_of_arguments(object)?),
            Some(_) => return Err(ConvertError::malformed("a tool call", "has arguments that are not text")),
        };
        if let Some(handle) = call.handle {
            return blocks.append(handle, &arguments_delta);
        }
        if MAX_CONTENT_BYTES < call.buffered.len().saturating_add(arguments_delta.len()) {
            return Err(ConvertError::TOO_LARGE);
        }
        call.buffered.push_str(&arguments_delta);
        Ok(())
    }

    /// Returns a call index for a delta of a chat completion without one. With an id it is the index of the call with
    /// that id, or a new index. Without an id it is the index of the latest call, or `position` if there is none.
    fn index_for_unindexed(&self, position: usize, id: Option<&str>) -> u64 {
        let next_index = self.by_index.last_key_value().map_or(0, |(last, _)| last + 1);
        match id {
            Some(_) => {
                let call_with_id = self.by_index.iter().find(|(_, call)| call.id.as_deref() == id);
                call_with_id.map_or(next_index, |(index, _)| *index)
            }
            None if self.by_index.is_empty() => position as u64,
            None => next_index - 1,
        }
    }

    /// Checks at the end of the response that all calls have the name of a tool.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if a call has none.
    pub(super) fn finish(&self) -> Result<(), ConvertError> {
        let nameless = self.by_index.values().any(|call| call.handle.is_none());
        if nameless { Err(ConvertError::malformed("a tool call", "names no tool")) } else { Ok(()) }
    }
}
