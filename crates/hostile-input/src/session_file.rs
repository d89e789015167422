//! Fuzz target for the parser of Claude Code session files, and the properties that all session file parsers share.

use std::path::Path;

use transcripts::{
    claude_code::ClaudeCode,
    session_file::{Format, SessionReader},
};

/// Parses the input as a Claude Code session file. Panics if there are more calls than non-empty lines, if not every
/// byte was read once, or if an issue has a line number outside the file or a cause of 1,000 bytes or more, which would
/// quote the file.
pub fn check_claude_code_file(data: &[u8]) {
    check_session_file::<ClaudeCode>(data);
}

/// Parses the input as a session file of format `F`. Panics if a property of [`check_claude_code_file`] is violated.
pub(crate) fn check_session_file<F: Format>(data: &[u8]) {
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
