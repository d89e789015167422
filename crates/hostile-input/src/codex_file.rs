//! Codex session files of any bytes.

use transcripts::codex::Codex;

use crate::session_file::read_any;

/// Checks the properties of all session files.
pub fn codex_file(data: &[u8]) {
    read_any::<Codex>(data);
}
