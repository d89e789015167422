//! Tests of the readers for session files of other clients.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod claude_code;
mod codex;
mod damaged;
mod live_and_imported;
mod openai_log;
mod support;
