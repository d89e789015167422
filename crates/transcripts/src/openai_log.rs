//! Reads logs of requests to chat completions of `OpenAI` or a compatible provider: JSON Lines, one call in each.
//!
//! [`SessionReader`] iterates over the turns of a file. Memory is limited to one line and the running turns of the last
//! 1,024 sessions.
//!
//! # Fields that are read
//! A line is an object with any of these fields; of several names the first that is present applies.
//! - The request: `request`, or `request.body`, or the line itself, with `messages` and `model`.
//! - The response: `response`, or `response.body`, or the line itself, with `choices`, `usage`, `model`, `id` and
//!   `created`. `response.status_code` and `error` (of the line or of the response) indicate a failed call.
//! - Times: `started_at`, `start_time` or `request_time` for the start; `ended_at`, `end_time`, `response_time`,
//!   `timestamp`, `time` or `created_at` for the end. They are in the format of RFC 3339, or numbers of seconds or
//!   milliseconds. Without an end, `created` of the response is used for both.
//! - The session: `session`, `session_id`, `conversation_id` or `thread_id` of the line, or of `metadata` of the line
//!   or of the request. `user` of the line or of the request distinguishes sessions without an id.
//! - `workspace` or `cwd`, and `provider`, of the line or its `metadata`. Without a provider it is the part of the
//!   model name before a slash (`anthropic/claude-…`), or else `openai`.
//! - Tools are classified by the names and arguments of Codex's tools.
//!
//! # Content that is dropped
//! Lists of streamed chunks in place of a response, and requests to other interfaces (`input` instead of `messages`),
//! both counted in [`Skipped::unknown`](crate::session_file::Skipped::unknown); in requests everything except messages
//! and tool definitions; all choices but the first; and the text of responses.
//!
//! # Sessions and turns
//! - Requests without a session id belong to one session if they begin with the same messages: its id is the hash of
//!   user, system prompt and first user message, independent of the model.
//! - The last message of the role `user` starts the turn. Later tool results, and repetitions of the same request,
//!   belong to it. The name of the turn is the hash of all messages up to there, so edited history results in another
//!   turn.
//! - A turn ends at the next line of its session with another turn, or at the end of the file: completed by a response
//!   without tool calls, failed by a failure, cancelled if the next turn comes before either, and open if the file ends
//!   before either.
//! - A session that reappears after 1,024 others continues with its next turn.
//!
//! # Calls
//! A response with `usage` is a call. `prompt_tokens_details.cached_tokens` and `cache_write_tokens` are subtracted
//! from `prompt_tokens`. A call is identified by its `id`, or else by session, turn and the hash of the line. A
//! response without usage is not a call, since its usage is unknown; its tool calls are recorded nevertheless.

mod fold;
mod line;
mod reader;
mod turn;

pub use reader::{OpenAiLog, SessionReader, discover, read};
