//! The session files of Codex: JSON Lines named `rollout-*.jsonl` under `~/.codex/sessions/<year>/<month>/<day>/`.
//!
//! [`discover`] finds them, [`SessionReader`] reads one, line by line, as an iterator of turns. At no time is more in
//! memory than one turn. The format is not documented by its makers and changes often; what follows was read off
//! files of versions 0.2x (2025) to 0.169 (November 2026).
//!
//! # What is read
//! A line is `{"timestamp", "type", "payload"}`. Files from before September 2025 have the payload in the line itself,
//! mostly without a time, and no usage: of them the turns and tools are read, and no calls.
//! - `session_meta`: the session. A sub-agent's file names its parent's session, and is a thread of it.
//! - `turn_context`: the model, and the id of the turn.
//! - `response_item`: messages, reasoning, calls of tools and their results.
//! - `event_msg`: `user_message` and `item_completed` with a `UserMessage` (what the user typed), `task_started`,
//!   `task_complete`, `turn_aborted`, `token_count`, `error`, `stream_error` and `context_compacted`.
//! - `token_usage_record` (since 0.16x): the usage of one answer, with the provider's id of it.
//! - `compacted`: a compaction, and the history it left.
//!
//! # What is dropped
//! Events that repeat items of the conversation or are for the screen (`agent_message`, `exec_command_end` …),
//! `world_state`, messages between agents, markers of compaction inside the conversation, rollbacks
//! (`thread_rolled_back`: the turns happened and were paid), rate limits, and results of tools outside any turn. Types
//! this program has never heard of are counted in [`Skipped::unknown`](crate::session_file::Skipped::unknown). Not
//! found at all are compressed rollouts (`.jsonl.zst`), the single JSON documents of spring 2025 (`rollout-*.json`),
//! and sessions that were archived, unless `archived_sessions` is named.
//!
//! # What is a turn
//! - A message the user typed. Where the file marks what was typed, messages of the role `user` are history and
//!   nothing else; where it does not, those are turns that are not the client's own notes (project notes, the
//!   environment, skills, `<turn_aborted>`). Messages of the role `developer` are never the user's.
//! - What is done in a `task` before its message (a compaction, to make room) belongs to the turn of that message. A
//!   task without any message, such as a compaction the user asked for, is a turn without text.
//! - A second message in the same task is a turn of its own, and ends the one before.
//! - The name is the client's id of the turn, with the number of the message in it from the second on; without an id,
//!   the line.
//!
//! # What is a call
//! An account of usage: a `token_usage_record`, or a `token_count` whose total has changed (it is repeated often). Of
//! its input, cached tokens are taken off; reasoning is part of the output. Messages, reasoning and tools since the
//! last input are the answer it accounts for, whatever stands first. An answer without an account is no call: its
//! usage is not known. The provider's id identifies a call, or else the turn and the number of the call in it. The
//! model is that of the latest `turn_context`, of `OpenAI` unless the session is one with a local model. Files do not
//! state stop reasons: an answer that asks for tools stopped for them, and one with text was done.
//!
//! # How a turn ends
//! `task_complete` completed it, or failed it if it names an error; `turn_aborted` cancelled it. In files of 2025
//! that have neither, the next message decides, by what came last: an answer with text and no tool outstanding
//! completed it, anything else means that the user cancelled it; at the end of the file the first holds as well. A
//! turn that is still open at the end may go on, and its last call is left to a later import unless its tools have
//! answered.
//!
//! # Forks
//! A fork begins with a copy of what it goes on from: a second `session_meta`, of the other session, and its lines
//! with new times. Those lines count as [`Skipped::repeated`](crate::session_file::Skipped::repeated), and only what
//! a prompt is made of is taken from them. They end with the first turn whose id (a UUID of version 7) is younger than the
//! session, or, without such ids, one second after the copy was written. Newer versions only name what they go on
//! from, and copy nothing.

mod failure;
mod fold;
mod line;
mod reader;
mod response;
mod thread;
pub(crate) mod tools;
mod usage;

pub use reader::{Codex, SessionReader, discover, read};
pub use thread::PREAMBLE_TOKENS;
