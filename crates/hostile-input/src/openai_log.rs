//! Any bytes as a log of chat completions.

use transcripts::openai_log::OpenAiLog;

use crate::session_file::read_any;

/// What holds for any session file.
pub fn openai_log(data: &[u8]) {
    read_any::<OpenAiLog>(data);
}
