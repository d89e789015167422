//! Any bytes as a session file of Claude Code, and what holds for session files of every client.

use std::path::Path;

use transcripts::{
    claude_code::ClaudeCode,
    session_file::{Format, SessionReader},
};

/// What holds for any session file.
pub fn session_file(data: &[u8]) {
    read_any::<ClaudeCode>(data);
}

/// Every line is used, dropped or named as wrong, every byte is read once, and what is counted can be added up.
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
