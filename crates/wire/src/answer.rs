//! What an answer said about itself as it passed: the nouns of a watcher.

use contracts::{
    Usage,
    events::{ErrorClass, StopReason},
};

/// The longest arguments of a tool call that are kept, in bytes; what comes after is cut off.
pub const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// What an answer said about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What the call used, as far as the answer says.
    pub usage: Option<Usage>,
    /// The provider's own account, as JSON; `None` when it is longer than [`client_formats::usage::MAX_RAW_BYTES`].
    pub raw_usage: Option<String>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// The tools it asked for, in order.
    pub tool_calls: Vec<CalledTool>,
    /// Blocks of thinking.
    pub thinking_blocks: u32,
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
    /// Whether the API's own end was seen: `message_stop`, `[DONE]`, `response.completed`, a `finishReason`.
    pub complete: bool,
    /// The class of an error inside the answer.
    pub error: Option<ErrorClass>,
    /// Bytes that the model wrote: text, thinking and arguments, as they stand in the JSON.
    pub output_bytes: u64,
}

/// A tool that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CalledTool {
    /// The id of the call; empty where the API has none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// Its arguments as JSON, or as free text for tools that take it; at most [`MAX_ARGUMENT_BYTES`].
    pub arguments: String,
}
