//! Claude Code session files of any bytes, and the properties of the session files of all clients.

use std::path::Path;

use transcripts::{
    claude_code::ClaudeCode,
    session_file::{Format, SessionReader},
};

/// Checks the properties of all session files.
pub fn session_file(data: &[u8]) {
    read_any::<ClaudeCode>(data);
}

/// Reads all turns. There are at most as many calls as lines, every byte is read once, and issues name an existing line
/// without quoting the file.
pub(crate) fn read_any<F: Format>(data: &[u8]) {
    let mut reader = SessionReader::<_, F>::new(Path::new("session.jsonl"), data);
    let mut calls = 0_u64;
    for turn in reader.by_ref() {
        calls += turn.calls().count() as u64;
    }
    let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() as u64;
    assert!(calls <= lines, "{calls} calls in {lines} lines");
    assert_eq!(reader.bytes_read(), data.len() as u64);
    for issue in reader.issues() {
        assert!((1..=reader.lines_read()).contains(&issue.line), "an issue names line {}", issue.line);
        assert!(issue.cause.len() < 1_000, "an issue repeats what is in the file");
    }
}
