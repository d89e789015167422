//! The session files of Claude Code: JSON Lines under `~/.claude/projects/<project>/`.
//!
//! [`discover`] finds them, [`SessionReader`] reads one, line by line, as an iterator of turns. At no time is more in
//! memory than one turn of the main line with the sub-agents at work in it (and 32 bytes for every line and call
//! already seen, to recognise repetitions).
//!
//! # What is read
//! - `assistant` lines: one line for every block of an answer. A call is one (message id, request id); of each
//!   bucket of its usage the largest number counts, because the early lines hold what was known while the answer
//!   streamed. Some versions never write the final line, so recorded output can be far below what was billed: the
//!   numbers are the file's, nothing is added. Without a stop reason in the file, a call that asks for tools stopped
//!   for them, and any other is `unknown`. Lines of the model `<synthetic>` are no calls; with `isApiErrorMessage`
//!   they are failures.
//! - `user` lines: messages, results of tools, and notes of the client (see below).
//! - `system` lines `compact_boundary` (a compaction) and `api_error` (an attempt that failed and is tried again).
//!
//! # What is dropped
//! Results of tools outside any turn (their call was in a broken line), the other `system` lines (hooks, durations,
//! local commands) and all other known types of line, such as `queue-operation`, `pr-link`, `file-history-snapshot`,
//! `attachment` and `progress`. Types this program has never heard of are counted in
//! [`Skipped::unknown`]. Lines whose `uuid` was seen before in the same file are counted in [`Skipped::repeated`];
//! history copied into *another* file is recognised by the log, since the id of a turn follows from the session and
//! the line it names, and the id of a call from the provider's ids alone.
//!
//! # What is a turn
//! - A message the user wrote, with or without images. A second message before any answer to the first is a turn of
//!   its own and the first one was cancelled, so that what was read once never changes when the file grows.
//! - A command (`<command-name>`), if a call, a failure or an interruption follows it before the next message; its
//!   text is what was typed, `/name arguments`. Commands that never reach a model (`/exit`, `/clear`, `/mcp`)
//!   vanish.
//! - Not: results of tools, `isMeta` lines (the text of a skill or command: part of the running turn), summaries of
//!   compactions, output of local commands and shell lines (`<local-command-…>`, `<bash-…>`), and notifications of
//!   background tasks, which continue the running turn. They count as text of the prompt.
//! - An answer without a message before it (the message was in a broken line, or in another file) belongs to the
//!   running turn, and if there is none, to a turn without text named after the line it answers.
//!
//! # How a turn ends
//! `[Request interrupted by user…]` and `Operation stopped by hook: …` cancel it. Otherwise the next message of its
//! thread decides, by what came last: an answer with text and no tool outstanding completed it, a failure nobody
//! tried again failed it, anything else (an unanswered tool, a declined one) means that the user cancelled it. At
//! the end of the file the first two hold as well; anything else leaves it open.
//!
//! # What the prompt cache knows
//! - A call begins with its first line.
//! - An `isMeta` line that is no note of the client, about an image, say, is the text of a command or a skill: the
//!   calls after it are of the variant `COMMAND`, until the next message the user wrote. The client sends those
//!   requests with other settings, so that messages cached for one variant are of no use to the other.
//! - A session is left with `/exit` or `/quit`, or, without a word, before a `summary` line in mid-file, which the
//!   client writes when it opens an old session. If a message or a call follows, the session was resumed. Nothing of
//!   this holds before the first call: there was nothing to resume.
//!
//! # Threads
//! Lines with `isSidechain` belong to a sub-agent: to `agentId`, or, in old files, to the chain of parents that
//! begins at one line. Sub-agents come out after the turn of the main line they worked in, in the order in which
//! they started. Files that hold one sub-agent alone (`agent-*.jsonl`) are read like any other.

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
