//! Fuzz target for the parser of Codex session files.

use transcripts::codex::Codex;

use crate::session_file::check_session_file;

/// Parses the input as a Codex session file. Panics if a property of
/// [`check_claude_code_file`](crate::check_claude_code_file) is violated.
pub fn check_codex_file(data: &[u8]) {
    check_session_file::<Codex>(data);
}
