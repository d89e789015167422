//! Fuzz target for the parser of chat completion logs.

use transcripts::openai_log::OpenAiLog;

use crate::session_file::check_session_file;

/// Parses the input as a log of chat completions. Panics if a property of
/// [`check_claude_code_file`](crate::check_claude_code_file) is violated.
pub fn check_openai_log(data: &[u8]) {
    check_session_file::<OpenAiLog>(data);
}
