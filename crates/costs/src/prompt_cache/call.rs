//! The input of the simulation: a model call with its time, its size and the state of its conversation.

use contracts::{CacheLifetime, CacheVariant, ModelId, NanoUsd, SessionId, Thread, TurnId, Usage};
use event_core::Timestamp;

/// Kind of the last input in the prompt of a call, which determines how much of the prompt is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum PrecedingInput {
    /// A user message after a completed turn.
    Message,
    /// A user message after a turn that was not completed.
    Cut,
    /// Tool results of the running turn.
    Tools,
}

/// A call that was cancelled before its response began. The provider may have cached its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CancelledCall {
    /// Time at which the call was sent.
    pub sent: Timestamp,
    /// Time at which the call was cancelled.
    pub stopped: Timestamp,
}

/// A completed model call with the properties that a prompt cache depends on. [`CallTracker`](super::CallTracker)
/// creates it, and [`PromptCache`](super::PromptCache) simulates it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Session of the call.
    pub session: SessionId,
    /// Thread of the call. The calls of one thread extend one prompt.
    pub thread: Thread,
    /// Id of the turn.
    pub turn: TurnId,
    /// Model that responded.
    pub model: ModelId,
    /// Time at which the call was sent; if unknown, that of the start or end of the response.
    pub sent: Timestamp,
    /// Time at which the response began; if unknown, `sent`. From then on other calls can read what it wrote.
    pub began: Timestamp,
    /// Cache lifetime of the tokens that the call writes.
    pub lifetime: CacheLifetime,
    /// Settings outside the messages that a prompt must share to be read from the cache.
    pub variant: CacheVariant,
    /// Recorded usage. The simulation reads only the total input.
    pub usage: Usage,
    /// Recorded cost; `None` if no price was known.
    pub cost: Option<NanoUsd>,
    /// Kind of the last input in the prompt.
    pub after: PrecedingInput,
    /// Length in bytes of the user message, for the first completed call of a turn; 0 for later calls.
    pub message_bytes: u64,
    /// Number of content blocks that the response and the results of its tools add to the history.
    pub blocks: u64,
    /// Whether the history was compacted since the previous call.
    pub compacted: bool,
    /// Whether the session was resumed since the previous call.
    pub resumed: bool,
    /// Calls of the thread that were cancelled before their response, since the previous completed call.
    pub attempts: Vec<CancelledCall>,
}

impl Call {
    /// Returns the recorded number of input tokens of the whole prompt, cached or not.
    pub const fn total(&self) -> u64 {
        self.usage.input_total()
    }
}
