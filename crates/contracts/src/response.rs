//! [`ResponseSummary`], the properties of a model's response, and its [`ToolRequest`]s.

use crate::{
    Usage,
    events::{ErrorClass, StopReason},
};

/// The properties of a model's response that the log records. They are extracted while the response is forwarded, or
/// read from a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseSummary {
    /// The token counts; `None` if the response has no usage object.
    pub usage: Option<Usage>,
    /// The provider's usage object as JSON; `None` if the response has none, or if it is too long to be recorded.
    pub raw_usage: Option<String>,
    /// Why the model stopped; `Unknown` if the response does not contain a reason.
    pub stop_reason: StopReason,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolRequest>,
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

/// The summary of a complete response without content, usage and stop reason.
impl Default for ResponseSummary {
    fn default() -> Self {
        Self {
            usage: None,
            raw_usage: None,
            stop_reason: StopReason::Unknown,
            tool_calls: Vec::new(),
            thinking_blocks: 0,
            model: None,
            complete: true,
            error: None,
            output_bytes: 0,
        }
    }
}

/// A tool call of the model in a response, with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolRequest {
    /// The id of the call; empty in APIs without call ids.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments as JSON text, or as free text for custom tools, of limited length.
    pub arguments: String,
}
