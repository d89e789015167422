//! Chat completion logs of any bytes.

use transcripts::openai_log::OpenAiLog;

use crate::session_file::read_any;

/// Checks the properties of all session files.
pub fn openai_log(data: &[u8]) {
    read_any::<OpenAiLog>(data);
}
