//! Builds the summary of a provider's response, which the log records.

use contracts::{
    ResponseSummary, ToolRequest, WireApi,
    events::{ErrorClass, StopReason},
};

use crate::{
    json::Value,
    usage::{merge_usage_objects, usage},
};

/// The maximum number of bytes of a tool call's arguments in a summary; the rest is cut off.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// The maximum number of tool calls in a summary; further ones are ignored.
const MAX_CALLS: usize = 256;

/// The maximum length of an id or name in bytes; longer ones are truncated.
const MAX_NAME_BYTES: usize = 256;

/// The maximum length of a usage object in bytes; longer ones are ignored.
const MAX_USAGE_BYTES: usize = 64 * 1024;

/// Builds the summary of a provider's response from the events of its stream, or from its body if it is not streamed.
#[derive(Debug, Default)]
pub(crate) struct SummaryBuilder {
    /// The last usage object, or all of them merged, as JSON text; `None` if none was received.
    usage_object: Option<String>,
    /// The reported stop reason; `None` until it is received.
    pub(crate) stop_reason: Option<StopReason>,
    /// The tool calls in order, each with the number by which its deltas refer to it.
    calls: Vec<(u64, ToolRequest)>,
    /// The number of thinking blocks so far.
    pub(crate) thinking_blocks: u32,
    /// Whether the last output was thinking, in APIs that do not mark where thinking starts.
    last_was_thinking: bool,
    /// The provider's name of the model; `None` until it is received.
    pub(crate) model: Option<String>,
    /// Whether the end of the response was received.
    pub(crate) complete: bool,
    /// The class of the error in the response; `None` if there is none.
    pub(crate) error: Option<ErrorClass>,
    /// The number of bytes of output so far, as escaped in the JSON.
    output_bytes: u64,
}

impl SummaryBuilder {
    /// Replaces the usage object in the summary of the response. A missing, empty or too long one is ignored.
    pub(crate) fn set_usage(&mut self, usage_object: Option<Value<'_>>) {
        if let Some(usage_object) =
            usage_object.filter(|usage_object| !usage_object.is_falsy() && usage_object.raw.len() <= MAX_USAGE_BYTES)
        {
            self.usage_object = Some(usage_object.raw.to_owned());
        }
    }

    /// Merges a usage object that has only the changed fields into the previous one. A missing, empty or too long one
    /// is ignored.
    pub(crate) fn merge_usage(&mut self, usage_object: Option<Value<'_>>) {
        let Some(new_object) =
            usage_object.filter(|usage_object| !usage_object.is_falsy() && usage_object.raw.len() <= MAX_USAGE_BYTES)
        else {
            return;
        };
        self.usage_object = Some(match &self.usage_object {
            Some(previous_object) => merge_usage_objects(previous_object, new_object.raw),
            None => new_object.raw.to_owned(),
        });
    }

    /// Sets the model that the response names, unless it is already known or `model` is missing.
    pub(crate) fn set_model(&mut self, model: Option<Value<'_>>) {
        if self.model.is_none() {
            self.model = model.and_then(|model| model.string()).map(|model| truncated(&model, MAX_NAME_BYTES));
        }
    }

    /// Adds the length of a string of the response to its output, in bytes as escaped in the JSON; nothing if it is
    /// missing or not a string.
    pub(crate) fn add_output(&mut self, text: Option<Value<'_>>) {
        self.add_output_bytes(text.and_then(|text| text.text()).map_or(0, |text| text.raw.len()));
    }

    /// Adds a number of bytes to the length of the response's output.
    pub(crate) fn add_output_bytes(&mut self, bytes: usize) {
        self.output_bytes += bytes as u64;
    }

    /// Counts a text of the response as output; `is_thinking` is whether the text is thinking. Consecutive texts of
    /// thinking count as one thinking block. An empty or missing text is ignored.
    pub(crate) fn add_text(&mut self, is_thinking: bool, text: Option<Value<'_>>) {
        if text.is_none_or(|text| text.is_falsy()) {
            return;
        }
        self.thinking_blocks += u32::from(is_thinking && !self.last_was_thinking);
        self.last_was_thinking = is_thinking;
        self.add_output(text);
    }

    /// Starts or updates the tool call with this number in the summary. A missing or empty id or name leaves the known
    /// one unchanged; ones longer than [`MAX_NAME_BYTES`] are truncated. Calls beyond [`MAX_CALLS`] are ignored.
    pub(crate) fn start_call(&mut self, number: u64, id: Option<Value<'_>>, name: Option<Value<'_>>) {
        self.last_was_thinking = false;
        let text = |value: Option<Value<'_>>| {
            value
                .and_then(|value| value.string())
                .map(|text| truncated(&text, MAX_NAME_BYTES))
                .filter(|text| !text.is_empty())
        };
        let Some(call) = self.call_mut(number) else { return };
        if let Some(id) = text(id) {
            call.id = id;
        }
        if let Some(name) = text(name) {
            call.name = name;
        }
    }

    /// Returns an unused number for a tool call, for APIs that do not number calls.
    pub(crate) fn next_call_number(&self) -> u64 {
        self.calls.len() as u64
    }

    /// Appends a delta to the arguments of the tool call with this number, and counts its bytes as output. The
    /// arguments are cut at [`MAX_ARGUMENT_BYTES`].
    pub(crate) fn append_arguments(&mut self, number: u64, delta: Option<Value<'_>>) {
        self.add_output(delta);
        let Some(delta) = delta.and_then(|delta| delta.string()) else { return };
        if let Some(call) = self.call_mut(number) {
            let room = MAX_ARGUMENT_BYTES.saturating_sub(call.arguments.len());
            call.arguments.push_str(&truncated(&delta, room));
        }
    }

    /// Appends a delta to the arguments of a content block, if the block is a call of one of the client's tools. For
    /// other blocks the delta is only counted as output.
    pub(crate) fn append_block_arguments(&mut self, number: u64, delta: Option<Value<'_>>) {
        if self.calls.iter().any(|(call_number, _)| *call_number == number) {
            self.append_arguments(number, delta);
        } else {
            self.add_output(delta);
        }
    }

    /// Sets the arguments of the tool call with this number, cut at [`MAX_ARGUMENT_BYTES`]. Missing or empty arguments
    /// leave the known ones unchanged.
    pub(crate) fn set_arguments(&mut self, number: u64, arguments: Option<Value<'_>>) {
        let Some(arguments) = arguments else { return };
        let Some(call) = self.call_mut(number) else { return };
        let text = arguments.string().unwrap_or_else(|| arguments.raw.into());
        if !text.is_empty() {
            call.arguments = truncated(&text, MAX_ARGUMENT_BYTES);
        }
    }

    /// Returns the latest tool call with this number, or adds one; `None` if the summary has [`MAX_CALLS`] calls.
    fn call_mut(&mut self, number: u64) -> Option<&mut ToolRequest> {
        let index = match self.calls.iter().rposition(|(call_number, _)| *call_number == number) {
            Some(index) => index,
            None if self.calls.len() < MAX_CALLS => {
                self.calls.push((number, ToolRequest::default()));
                self.calls.len() - 1
            }
            None => return None,
        };
        self.calls.get_mut(index).map(|(_, call)| call)
    }

    /// Builds the summary of a response of `api`, which may have ended early. If the model called a tool, the end of
    /// the turn becomes tool use.
    pub(crate) fn finish(self, api: WireApi) -> ResponseSummary {
        let tool_calls: Vec<_> = self.calls.into_iter().map(|(_, call)| call).collect();
        let stop_reason = match self.stop_reason {
            // Gemini and some servers of chat completions report the end of the turn even if the model calls a tool.
            Some(StopReason::EndTurn) if !tool_calls.is_empty() => StopReason::ToolUse,
            stop => stop.unwrap_or(StopReason::Unknown),
        };
        ResponseSummary {
            usage: self.usage_object.as_deref().and_then(|usage_object| usage(api, usage_object)),
            raw_usage: self.usage_object.as_deref().and_then(client_formats::usage::recordable_usage_text),
            stop_reason,
            tool_calls,
            thinking_blocks: self.thinking_blocks,
            model: self.model,
            complete: self.complete,
            error: self.error,
            output_bytes: self.output_bytes,
        }
    }
}

/// Returns the longest prefix of a text that has at most `max_bytes` bytes and ends between characters.
fn truncated(text: &str, max_bytes: usize) -> String {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default().to_owned()
}
