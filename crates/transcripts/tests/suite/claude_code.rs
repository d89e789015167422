//! Tests of the reader for Claude Code session files.

use std::{fs, path::Path};

use proptest::{collection::vec, prelude::*, sample::Index};
use transcripts::{
    DEMO_SESSION,
    claude_code::{ClaudeCode, Issue, discover, read},
    observed::ObservedTurn,
    session_file::TurnsByStart,
};

use crate::{
    damaged::{assert_reading_is_repeatable, check_cut, check_junk},
    support::{read_turns, render},
};

/// Name of the file that is read, from which the reader derives the session id if the content has none.
const FILE: &str = "session.jsonl";

const FIXTURES: [(&str, &str); 9] = [
    ("agent-a7c1e9d", include_str!("../fixtures/agent-a7c1e9d.jsonl")),
    ("blocks-of-one-answer", include_str!("../fixtures/blocks-of-one-answer.jsonl")),
    ("broken-lines", include_str!("../fixtures/broken-lines.jsonl")),
    ("compaction-and-image", include_str!("../fixtures/compaction-and-image.jsonl")),
    ("failures", include_str!("../fixtures/failures.jsonl")),
    ("how-turns-end", include_str!("../fixtures/how-turns-end.jsonl")),
    ("resumed", include_str!("../fixtures/resumed.jsonl")),
    ("sub-agents", include_str!("../fixtures/sub-agents.jsonl")),
    ("what-is-a-turn", include_str!("../fixtures/what-is-a-turn.jsonl")),
];

fn turns(bytes: &[u8]) -> (Vec<ObservedTurn>, Vec<Issue>) {
    read_turns::<ClaudeCode>(FILE, bytes)
}

#[test]
fn each_rule_reads_as_its_snapshot_says() {
    for (name, text) in FIXTURES {
        insta::assert_snapshot!(name, render::<ClaudeCode>(name, text));
    }
}

#[test]
fn the_demo_session_has_every_kind_of_turn() {
    insta::assert_snapshot!("demo", render::<ClaudeCode>("demo", DEMO_SESSION));
}

#[test]
fn reading_twice_gives_the_same() {
    for (_, text) in FIXTURES {
        assert_reading_is_repeatable::<ClaudeCode>(FILE, text);
    }
}

#[test]
fn a_call_in_another_file_is_the_same_call() {
    let copied = DEMO_SESSION.replace("5b0c6f0e-7a41-4f0b-9d1e-0c9a3d2f8e11", "another-session");
    let ids = |text: &str| -> Vec<_> {
        turns(text.as_bytes()).0.iter().flat_map(|turn| turn.calls().map(|call| call.id).collect::<Vec<_>>()).collect()
    };
    assert_eq!(ids(&copied), ids(DEMO_SESSION));
}

#[test]
fn files_come_in_the_order_in_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("project/session/subagents");
    fs::create_dir_all(&path).unwrap();
    fs::write(folder.path().join("project/z.jsonl"), FIXTURES[1].1).unwrap();
    fs::write(path.join("agent-1.jsonl"), FIXTURES[0].1).unwrap();
    fs::write(folder.path().join("project/late.jsonl"), DEMO_SESSION).unwrap();
    fs::write(folder.path().join("project/empty.jsonl"), "").unwrap();
    fs::write(folder.path().join("project/notes.txt"), "not a session").unwrap();
    let files = discover(folder.path()).unwrap();
    let names: Vec<String> =
        files.iter().map(|file| file.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(names, ["agent-1.jsonl", "z.jsonl", "late.jsonl", "empty.jsonl"]);
    assert_eq!(files[2].bytes, DEMO_SESSION.len() as u64);

    let mut seen = Vec::new();
    let read_turns = read(&files[2].path).unwrap().with_progress(|bytes| seen.push(bytes)).count();
    assert_eq!((read_turns, seen), (9, vec![files[2].bytes]));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = discover(Path::new("no/such/folder")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read `no/such/folder`");
    let error = read(Path::new("no/such/file.jsonl")).unwrap_err();
    assert_eq!(error.to_string(), "cannot open session file `no/such/file.jsonl`");
}

#[test]
fn bytes_that_are_not_text_cost_their_line() {
    let (first, rest) = FIXTURES[1].1.split_once('\n').unwrap();
    let bytes = [first.as_bytes(), b"\n{\"type\":\"user\xff\"}\n", rest.as_bytes()].concat();
    let (with, issues) = turns(&bytes);
    assert_eq!(with, turns(FIXTURES[1].1.as_bytes()).0);
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0].line, 2);
    assert!(issues[0].cause.starts_with("not UTF-8"), "{}", issues[0].cause);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    /// All turns except the last are unchanged; the last is one of the turns, possibly shorter; and only the cut line
    /// is reported.
    #[test]
    fn a_file_cut_anywhere_gives_a_prefix_of_its_turns(fixture in 0..=FIXTURES.len(), cut in any::<Index>()) {
        let text = FIXTURES.get(fixture).map_or(DEMO_SESSION, |(_, text)| text);
        // A turn of the main thread and the sub-agents at work in it may be unfinished.
        let unfinished = if text.contains("Sidechain\":true") { 3 } else { 1 };
        check_cut::<ClaudeCode>(FILE, text, cut.index(text.len()), unfinished)?;
    }

    /// The reader neither stops nor panics on arbitrary input.
    #[test]
    fn garbage_costs_only_itself(fixture in 0..FIXTURES.len(), at in any::<Index>(), junk in vec(any::<u8>(), 1..40)) {
        let text = FIXTURES[fixture].1;
        check_junk::<ClaudeCode>(FILE, text, at.index(text.len()), junk, 2)?;
    }
}

/// Writes a session file whose messages have these minutes of an hour.
fn write_session(folder: &Path, name: &str, minutes: &[u32]) {
    let lines: Vec<String> = minutes
        .iter()
        .map(|minute| {
            serde_json::json!({
                "type": "user", "uuid": format!("{name}-{minute}"), "timestamp": format!("2026-03-02T10:{minute:02}:00.000Z"),
                "sessionId": name, "cwd": "/home/dev/shop", "version": "2.1.5",
                "message": {"role": "user", "content": format!("message {minute}")},
            })
            .to_string()
        })
        .collect();
    fs::write(folder.join(format!("{name}.jsonl")), lines.join("\n")).unwrap();
}

#[test]
fn turns_of_sessions_that_overlap_are_read_in_the_order_of_their_start_decision_d40() {
    let folder = tempfile::tempdir().unwrap();
    write_session(folder.path(), "long", &[0, 10, 50]);
    write_session(folder.path(), "short", &[5, 20]);
    write_session(folder.path(), "late", &[30]);
    fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    let files = discover(folder.path()).unwrap();
    let read = |files: Vec<_>| {
        let mut turns = TurnsByStart::<ClaudeCode>::new(files);
        let read: Vec<_> = turns.by_ref().map(|turn| turn.unwrap()).collect();
        assert!(read.iter().all(|(session, turn)| session.id == turn.session));
        (read.into_iter().map(|(_, turn)| turn.message).collect::<Vec<_>>(), turns.files_read(), turns.bytes_read())
    };
    let bytes = files.iter().map(|file| file.bytes).sum();
    let expected = [0, 5, 10, 20, 30, 50].map(|minute| format!("message {minute}")).to_vec();
    assert_eq!(read(files.clone()), (expected.clone(), 4, bytes));
    assert_eq!(read(files.into_iter().rev().collect()), (expected, 4, bytes), "in whatever order the files are named");
}
