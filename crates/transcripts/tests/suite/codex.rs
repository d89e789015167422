//! Tests of the reader for Codex session files.

use std::{collections::BTreeSet, fs};

use proptest::{collection::vec, prelude::*, sample::Index};
use transcripts::{
    codex::{Codex, discover, read},
    observed::ObservedTurn,
    session_file::Issue,
};

use crate::{
    damaged::{assert_reading_is_repeatable, check_cut, check_junk},
    support::{read_turns, render},
};

/// Name of the file that is read, from which the reader derives the session id if the content has none.
const FILE: &str = "rollout-session.jsonl";

/// Session files, originals before their forks.
const FIXTURES: [(&str, &str); 7] = [
    ("bare-lines", include_str!("../fixtures/codex/bare-lines.jsonl")),
    ("contexts-of-2025", include_str!("../fixtures/codex/contexts-of-2025.jsonl")),
    ("fork-of-2025", include_str!("../fixtures/codex/fork-of-2025.jsonl")),
    ("pages", include_str!("../fixtures/codex/pages.jsonl")),
    ("fork", include_str!("../fixtures/codex/fork.jsonl")),
    ("sub-agent", include_str!("../fixtures/codex/sub-agent.jsonl")),
    ("broken-lines", include_str!("../fixtures/codex/broken-lines.jsonl")),
];

/// Reads a session file; returns its turns and the lines that could not be used.
fn turns(bytes: &[u8]) -> (Vec<ObservedTurn>, Vec<Issue>) {
    read_turns::<Codex>(FILE, bytes)
}

/// The turns, calls and tools of each fixture.
#[test]
fn each_layout_reads_as_its_snapshot_says() {
    for (name, text) in FIXTURES {
        insta::assert_snapshot!(name, render::<Codex>(name, text));
    }
}

/// Reading a file twice results in the same turns and issues.
#[test]
fn reading_twice_gives_the_same() {
    for (_, text) in FIXTURES {
        assert_reading_is_repeatable::<Codex>(FILE, text);
    }
}

/// Ids of turns and calls are unique over all files, also over forks with copied history.
#[test]
fn no_call_and_no_turn_is_told_twice() {
    let (mut calls, mut names) = (BTreeSet::new(), BTreeSet::new());
    for (name, text) in FIXTURES.iter().filter(|(name, _)| *name != "broken-lines") {
        for turn in turns(text.as_bytes()).0 {
            assert!(names.insert(turn.id()), "{name}: {}", turn.name);
            for call in turn.calls() {
                assert!(calls.insert(call.id), "{name}: {}", call.message);
            }
        }
    }
    assert_eq!((names.len(), calls.len()), (15, 17));
}

/// The sum of the calls' usage is the last total in the file.
#[test]
fn the_usage_of_all_calls_is_the_last_account_of_the_file() {
    // `contexts-of-2025` accounts in events alone, `pages` in records as well.
    for (name, input, output) in [("contexts-of-2025", 36_200, 270), ("pages", 82_000, 1_090)] {
        let text = FIXTURES.iter().find(|(fixture, _)| *fixture == name).unwrap().1;
        // The last call of `pages` may still go on.
        let (turns, _) = turns(text.as_bytes());
        let calls = turns.iter().flat_map(ObservedTurn::calls);
        let sums = calls.fold((0, 0), |(all, out), call| (all + call.usage.input_total(), out + call.usage.output));
        assert_eq!(sums, (input, output), "{name}");
    }
}

/// Discovery returns the files named `rollout-*.jsonl`, by the time of their first line, and reading one reports
/// progress at its end.
#[test]
fn only_rollouts_are_found_in_the_order_in_which_they_began() {
    let folder = tempfile::tempdir().unwrap();
    let day = folder.path().join("2026/11/18");
    fs::create_dir_all(&day).unwrap();
    for (name, text) in FIXTURES {
        fs::write(day.join(format!("rollout-{name}.jsonl")), text).unwrap();
    }
    fs::write(folder.path().join("session_index.jsonl"), "{}").unwrap();
    let files = discover(folder.path()).unwrap();
    let names: Vec<_> = files.iter().map(|file| file.path.file_stem().unwrap().to_str().unwrap()).collect();
    let expected = ["bare-lines", "contexts-of-2025", "fork-of-2025", "pages", "broken-lines", "sub-agent", "fork"];
    assert_eq!(names, expected.map(|name| format!("rollout-{name}")));
    let mut seen = Vec::new();
    assert_eq!(read(&files[3].path).unwrap().with_progress(|bytes| seen.push(bytes)).count(), 7);
    assert_eq!(seen, [files[3].bytes]);
}

/// A line that lost its payload is left out and does not change how the rest of the file is read: no place of a single
/// blank makes more than two turns of one.
#[test]
fn a_blank_anywhere_does_not_change_the_layout_of_the_file() {
    let text = FIXTURES.iter().find(|(name, _)| *name == "pages").unwrap().1;
    let (sound, _) = turns(text.as_bytes());
    let places = text.match_indices("\"payload\"").map(|(at, _)| at + 4);
    for at in places {
        let mut bytes = text.as_bytes().to_vec();
        bytes.insert(at, b' ');
        let (found, _) = turns(&bytes);
        assert!(found.len() <= sound.len() + 1, "{} turns instead of {}, blank at {at}", found.len(), sound.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    /// All turns except the last are unchanged; the last is one of the turns, possibly shorter; all complete calls are
    /// unchanged; and only the cut line is reported.
    #[test]
    fn a_file_cut_anywhere_gives_a_prefix_of_its_turns(fixture in 0..FIXTURES.len(), cut in any::<Index>()) {
        let text = FIXTURES[fixture].1;
        for (part, whole) in check_cut::<Codex>(FILE, text, cut.index(text.len()), 1)? {
            prop_assert_eq!(&part.before, &whole.before);
            for call in part.calls().filter(|call| call.complete) {
                prop_assert!(whole.calls().any(|other| (other.id, other.usage) == (call.id, call.usage)), "{call:?}");
            }
        }
    }

    /// The reader neither stops nor panics on arbitrary input.
    #[test]
    fn garbage_costs_only_itself(fixture in 0..FIXTURES.len(), at in any::<Index>(), junk in vec(any::<u8>(), 1..40)) {
        // A lost head changes the names of all turns; a lost mark makes two turns of one.
        let text = FIXTURES[fixture].1;
        check_junk::<Codex>(FILE, text, at.index(text.len()), junk, 3)?;
    }

    /// A lost line does not affect others: the calls of all other responses are present.
    #[test]
    fn a_line_that_is_lost_costs_at_most_the_call_it_was_part_of(fixture in 0..FIXTURES.len(), line in any::<Index>()) {
        let text = FIXTURES[fixture].1;
        let lines: Vec<&str> = text.lines().collect();
        let lost = line.index(lines.len());
        let damaged: Vec<&str> = lines.iter().enumerate().map(|(at, line)| if at == lost { "{\"" } else { line }).collect();
        let count = |bytes: &[u8]| turns(bytes).0.iter().map(|turn| turn.calls().count()).sum::<usize>();
        let (whole, part) = (count(text.as_bytes()), count(damaged.join("\n").as_bytes()));
        // The copy of a fork is only known as one by its two heads.
        let head = lost < 2 && FIXTURES[fixture].0.starts_with("fork");
        prop_assert!(whole <= part + 1 && (part <= whole || head), "{whole} calls, {part} without line {}", lost + 1);
    }
}
