//! Reads the session files of Claude Code: JSON Lines under `~/.claude/projects/<project>/`.
//!
//! [`discover`] finds the files, and [`SessionReader`] iterates over the turns of one. Memory is limited to one turn of
//! the main conversation with its sub-agents, plus 32 bytes for each line and call, by which repetitions are detected.
//!
//! # Lines that are read
//! - `assistant` lines, one for each block of a response. A call is identified by message id and request id. Its usage
//!   is the maximum of each count over its lines, because early lines contain the counts at that point of the stream.
//!   Some versions never write the final line; the recorded output can then be far below the billed output and is not
//!   corrected. If no stop reason is recorded, it is `tool_use` for a call with tool calls and `unknown` for others.
//!   Lines of the model `<synthetic>` are not calls; with `isApiErrorMessage` they are failures.
//! - `user` lines: messages, tool results, and notes of the client (see below).
//! - `system` lines `compact_boundary` (a compaction) and `api_error` (a failed attempt that is retried).
//!
//! # Lines that are dropped
//! Tool results outside any turn (the line of their call could not be read), other `system` lines (hooks, durations,
//! local commands), and the other known types, such as `queue-operation`, `pr-link`, `file-history-snapshot`,
//! `attachment` and `progress`. Unknown types are counted in [`Skipped::unknown`], and lines whose `uuid` occurred
//! before in the file in [`Skipped::repeated`]. History that was copied into *another* file is detected by the log: the
//! id of a turn is derived from session and line id, and the id of a call from the provider's ids.
//!
//! # Start of a turn
//! - A message that the user wrote, with or without images. If a second message follows before any response, it starts
//!   another turn and the first one is cancelled, so that turns already read do not change when the file grows.
//! - A command (`<command-name>`) that is followed by a call, a failure or an interruption before the next message. Its
//!   text is the command line, `/name arguments`. Commands that never reach a model (`/exit`, `/clear`, `/mcp`) are
//!   dropped.
//! - Not a turn: tool results, `isMeta` lines (the text of a skill or command, part of the running turn), summaries of
//!   compactions, output of local commands and shell lines (`<local-command-…>`, `<bash-…>`), and notifications of
//!   background tasks, which continue the running turn. All of them count as text of the prompt.
//! - A response without a preceding message (its line could not be read, or is in another file) belongs to the running
//!   turn; if there is none, to a turn without text that is named after the line it responds to.
//!
//! # End of a turn
//! `[Request interrupted by user…]` and `Operation stopped by hook: …` cancel it. Otherwise the next message of its
//! thread ends it, depending on the last line: a response with text and without a pending tool call completed it, a
//! failure without a retry failed it, and in any other case (a pending or declined tool call) the user cancelled it.
//! The first two also apply at the end of the file; in any other case the turn stays open.
//!
//! # Prompt cache
//! - A call begins at the time of its first line.
//! - An `isMeta` line that is not a note of the client (about an image, for example) is the text of a command or a
//!   skill: later calls are of the variant `COMMAND` until the user's next message. The client sends these requests
//!   with other settings, so the two variants do not share cached messages.
//! - A session is left by `/exit` or `/quit`, or without a line of its own before a `summary` line inside the file,
//!   which the client writes when it opens an old session. If a message or a call follows, the session was resumed. A
//!   session without a call cannot be resumed.
//!
//! # Threads
//! Lines with `isSidechain` belong to a sub-agent: `agentId`, or, in old files, the chain of parents that starts at one
//! line. Turns of sub-agents follow the turn of the main conversation in which they ran, in the order of their start.
//! Files of a single sub-agent (`agent-*.jsonl`) are read in the same way.

mod content;
mod failure;
mod fold;
mod line;
mod reader;
mod thread;
mod tools;
mod usage;

pub use reader::{ClaudeCode, Issue, SessionReader, Skipped, discover, read};
pub use thread::PREAMBLE_TOKENS;
pub(crate) use tools::{files, side_effect};
