//! The result of inspecting a response, which is recorded in the log.

use contracts::{
    Usage,
    events::{ErrorClass, StopReason},
};

/// The maximum number of bytes of a tool call's arguments in a summary; the rest is cut off.
pub const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// The properties of a response that are recorded in the log, extracted while the response was forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseSummary {
    /// The token counts; `None` if the response has no usage object.
    pub usage: Option<Usage>,
    /// The provider's usage object as JSON; `None` if the response has none, or if it is longer than
    /// [`client_formats::usage::MAX_RAW_BYTES`].
    pub raw_usage: Option<String>,
    /// Why the model stopped; `Unknown` if the response does not contain a reason.
    pub stop_reason: StopReason,
    /// The tool calls, in order.
    pub tool_calls: Vec<ResponseToolCall>,
    /// The number of thinking blocks.
    pub thinking_blocks: u32,
    /// The provider's name of the model; `None` if the response has none.
    pub model: Option<String>,
    /// Whether the response is complete: `message_stop`, `[DONE]`, `response.completed` or a `finishReason` was
    /// received.
    pub complete: bool,
    /// The class of the error in the response; `None` if there is none.
    pub error: Option<ErrorClass>,
    /// The number of bytes of output: text, thinking and arguments, as escaped in the JSON.
    pub output_bytes: u64,
}

/// A tool call of the model in a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponseToolCall {
    /// The id of the call; empty in APIs without call ids.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as JSON text, or as free text for custom tools; cut at [`MAX_ARGUMENT_BYTES`].
    pub arguments: String,
}
