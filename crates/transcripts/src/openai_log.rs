//! A log of requests to the chat completions of `OpenAI` or a compatible provider: JSON Lines, a call in each.
//!
//! [`SessionReader`] reads one, line by line, as an iterator of turns. At no time is more in memory than a line and the
//! running turn of each of the last 1,024 sessions.
//!
//! # What is read
//! A line is an object with any of these; the first name that is there counts.
//! - The request: `request`, or `request.body`, or the line itself, with `messages` and `model`.
//! - The response: `response`, or `response.body`, or the line itself, with `choices`, `usage`, `model`, `id` and
//!   `created`. `response.status_code` and `error` (of the line or of the response) tell of a call that failed.
//! - Times: `started_at`, `start_time` or `request_time` for the beginning; `ended_at`, `end_time`, `response_time`,
//!   `timestamp`, `time` or `created_at` for the end. They are texts in the form of RFC 3339 or numbers of seconds or
//!   milliseconds. Without an end, `created` of the response stands for both.
//! - The session: `session`, `session_id`, `conversation_id` or `thread_id` of the line, or of `metadata` of the line
//!   or of the request. `user` of the line or of the request tells sessions without a name apart.
//! - `workspace` or `cwd`, and `provider`, of the line or its `metadata`. Without a provider it is what stands before a
//!   slash in the name of the model (`anthropic/claude-…`), or else `openai`.
//! - Tools are classed, and their files found, by the names and arguments that Codex's tools have.
//!
//! # What is dropped
//! Lists of streamed chunks in the place of a response, and requests to other interfaces (`input` instead of
//! `messages`): counted in [`Skipped::unknown`](crate::session_file::Skipped::unknown). Everything in a request that is
//! not a message or a definition of a tool, all choices but the first, and the text of answers.
//!
//! # What is a session and a turn
//! - Without a name, a session is what begins with the same messages: its id is the hash of user, system prompt and
//!   first message of the user, whatever the model.
//! - The last message of the role `user` is the turn's; results of tools after it belong to the turn, and so does the
//!   same request again. The turn's name is the hash of all messages up to there, so that history that was edited is
//!   another turn.
//! - A turn ends when the next line of its session has another one, or at the end of the file: completed by an
//!   answer that asks for no tool, failed by a failure, cancelled when the next turn comes before either, and open
//!   when the file ends before either.
//! - A session that comes back after 1,024 others goes on with its next turn.
//!
//! # What is a call
//! A response with `usage`. Of `prompt_tokens`, `prompt_tokens_details.cached_tokens` are taken off, and
//! `cache_write_tokens` beside them. It is known by its `id`, else by session, turn, and the hash of the line. A
//! response without usage is no call: nobody knows what it used; the tools it asked for count all the same.

mod fold;
mod line;
mod reader;
mod turn;

pub use reader::{OpenAiLog, SessionReader, discover, read};
