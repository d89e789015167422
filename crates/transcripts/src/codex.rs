//! Reads the session files of Codex: JSON Lines named `rollout-*.jsonl` under
//! `~/.codex/sessions/<year>/<month>/<day>/`.
//!
//! [`discover`] finds the files, and [`SessionReader`] iterates over the turns of one. Memory is limited to one turn.
//! The format is undocumented and changes often; the following was derived from files of versions 0.2x (2025) to 0.169
//! (November 2026).
//!
//! # Lines that are read
//! A line is `{"timestamp", "type", "payload"}`. Files from before September 2025 have the fields of the payload in the
//! line itself, mostly without a time, and no usage: their turns and tools are read, but no calls.
//! - `session_meta`: the session. The file of a sub-agent contains its parent's session and is a thread of it.
//! - `turn_context`: the model, and the id of the turn.
//! - `response_item`: messages, reasoning, tool calls and their results.
//! - `event_msg`: `user_message` and `item_completed` with a `UserMessage` (a typed message), `task_started`,
//!   `task_complete`, `turn_aborted`, `token_count`, `error`, `stream_error` and `context_compacted`.
//! - `token_usage_record` (since 0.16x): the usage of one response, with the provider's id.
//! - `compacted`: a compaction, with the remaining history.
//!
//! # Lines that are dropped
//! Events that repeat items of the conversation or are only displayed (`agent_message`, `exec_command_end` …),
//! `world_state`, messages between agents, markers of compaction inside the conversation, rollbacks
//! (`thread_rolled_back`: their turns ran and were billed), rate limits, and tool results outside any turn. Unknown
//! types are counted in [`Skipped::unknown`](crate::session_file::Skipped::unknown). Not found at all are compressed
//! rollouts (`.jsonl.zst`), the single JSON documents of spring 2025 (`rollout-*.json`), and archived sessions, unless
//! the path of `archived_sessions` is given.
//!
//! # Start of a turn
//! - A message that the user typed. If the file marks typed messages, other messages of the role `user` are only
//!   history. If it does not, they are turns, except the client's own notes (project notes, the environment, skills,
//!   `<turn_aborted>`). Messages of the role `developer` are never typed by the user.
//! - Work in a `task` before its message (a compaction to make room) belongs to the turn of that message. A task
//!   without a message, such as a requested compaction, is a turn without text.
//! - A second message in the same task starts another turn and ends the previous one.
//! - The name of a turn is the client's id of the turn, followed by the number of the message from the second on;
//!   without an id, the line number.
//!
//! # Calls
//! A usage report is a call: a `token_usage_record`, or a `token_count` whose total has changed (unchanged ones are
//! repeated often). Cached tokens are subtracted from its input; reasoning is part of the output. Messages, reasoning
//! and tool calls since the last input are the response that the report belongs to, in either order. A response without
//! a report is not a call, since its usage is unknown. The id of a call is the provider's, or else derived from the
//! turn and the number of the call. The model is that of the latest `turn_context`, of the provider `openai` unless the
//! session uses a local model. Stop reasons are not recorded: `ToolUse` for responses with tool calls, `EndTurn` for
//! others with text.
//!
//! # End of a turn
//! `task_complete` completed it, or failed it if the event contains an error; `turn_aborted` cancelled it. In files of
//! 2025 without these events the next message ends the turn, depending on the last line: a response with text and
//! without a pending tool call completed it, in any other case the user cancelled it. The former also applies at the
//! end of the file. A turn that is still open at the end may continue; its last call is left to a later import unless
//! its tools have returned.
//!
//! # Forks
//! A fork begins with a copy of the original: a second `session_meta`, of the other session, and its lines with new
//! times. These lines are counted in [`Skipped::repeated`](crate::session_file::Skipped::repeated), and only their
//! contribution to the prompt is used. The copy ends with the first turn whose id (a UUID of version 7) is later than
//! the session, or, without such ids, one second after the copy was written. Newer versions only refer to the original
//! (`forked_from_id`) and copy nothing.

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
