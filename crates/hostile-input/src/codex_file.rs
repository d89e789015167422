//! Any bytes as a session file of Codex.

use transcripts::codex::Codex;

use crate::session_file::read_any;

/// What holds for any session file.
pub fn codex_file(data: &[u8]) {
    read_any::<Codex>(data);
}
