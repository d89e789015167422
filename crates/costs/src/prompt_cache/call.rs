//! A call as the simulation sees it: when, of what size, and what had happened before.

use contracts::{CacheLifetime, CacheVariant, ModelId, NanoUsd, SessionId, ThreadId, TurnId, Usage, events::CallRole};
use event_core::Timestamp;

use crate::Line;

/// What stands before the answer that a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum After {
    /// A message, and the turn before it was completed.
    Message,
    /// A message, and the turn before it was not completed.
    Cut,
    /// Results of tools.
    Tools,
}

/// A message that was cancelled before any answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attempt {
    /// When it was sent.
    pub sent: Timestamp,
    /// When it was cancelled.
    pub stopped: Timestamp,
}

/// A call that was answered, with what a prompt cache depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Its session.
    pub session: SessionId,
    /// The sub-agent at work, if it is not the main line of the session.
    pub thread: Option<ThreadId>,
    /// Its turn.
    pub turn: TurnId,
    /// Whose work it is.
    pub role: CallRole,
    /// The model that answered.
    pub model: ModelId,
    /// When it was sent, as far as known; else when the answer began or ended.
    pub sent: Timestamp,
    /// When the answer began, as far as known; else when the call was sent. From then on others can read what it wrote.
    pub began: Timestamp,
    /// How long the provider keeps what this line of work writes.
    pub lifetime: CacheLifetime,
    /// What of the request outside its messages makes cached messages useless when it changes.
    pub variant: CacheVariant,
    /// What it used, as recorded. The simulation reads only the sum of the input.
    pub usage: Usage,
    /// What it cost, as recorded; `None` where no price was known.
    pub cost: Option<NanoUsd>,
    /// What stands before it.
    pub after: After,
    /// Bytes of the message it answers first, else 0.
    pub message_bytes: u64,
    /// Content blocks that its answer and the results of its tools add to the history.
    pub blocks: u64,
    /// The history was replaced by a summary since the call before.
    pub compacted: bool,
    /// The session was left and opened again since the call before.
    pub resumed: bool,
    /// Messages cancelled before any answer, since the call before.
    pub attempts: Vec<Attempt>,
}

impl Call {
    /// Tokens of the whole prompt, as recorded.
    pub const fn total(&self) -> u64 {
        self.usage.input_total()
    }

    /// Its line of work: calls of one line extend one prompt.
    pub fn line(&self) -> Line {
        Line { role: self.role, thread: self.thread.clone() }
    }
}
