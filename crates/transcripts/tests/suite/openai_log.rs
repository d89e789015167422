//! Tests of the reader for logs of chat completions.

use std::{collections::BTreeSet, path::Path};

use contracts::events::TurnStatus;
use proptest::{collection::vec, prelude::*, sample::Index};
use serde_json::json;
use transcripts::{
    observed::{ObservedTurn, Step},
    openai_log::{OpenAiLog, SessionReader},
    session_file::Issue,
};

use crate::support::render;

const LOG: &str = include_str!("../fixtures/openai-log/calls.jsonl");
const FLAT: &str = include_str!("../fixtures/openai-log/flat.jsonl");

/// Reads a log; returns its turns and the lines that could not be used.
fn turns(bytes: &[u8]) -> (Vec<ObservedTurn>, Vec<Issue>) {
    let mut reader = SessionReader::new(Path::new("calls.jsonl"), bytes);
    let turns = reader.by_ref().collect();
    (turns, reader.issues().to_vec())
}

/// The turns, calls and tools of both layouts of a line.
#[test]
fn requests_and_responses_read_as_the_snapshot_says() {
    insta::assert_snapshot!("calls", render::<OpenAiLog>("calls", LOG));
    insta::assert_snapshot!("flat", render::<OpenAiLog>("flat", FLAT));
}

/// Reading a log twice results in the same ids of turns and calls, also if its lines are repeated in one file.
#[test]
fn the_same_lines_again_are_the_same_turns_and_calls() {
    let (once, _) = turns(LOG.as_bytes());
    assert_eq!(turns(LOG.as_bytes()).0, once);
    let (twice, _) = turns(format!("{LOG}{LOG}").as_bytes());
    let ids = |turns: &[ObservedTurn]| -> BTreeSet<_> {
        turns.iter().flat_map(|turn| turn.calls().map(|call| (turn.id(), call.id)).collect::<Vec<_>>()).collect()
    };
    assert_eq!(ids(&twice), ids(&once));
}

/// More conversations than are held in memory are all read, in the order of their start.
#[test]
fn sessions_beyond_the_limit_are_ended_and_nothing_is_lost() {
    let line = |number: u32| {
        let messages = json!([{ "role": "user", "content": format!("question {number}") }]);
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": 1 });
        let choices = json!([{ "finish_reason": "stop", "message": { "role": "assistant", "content": "yes" } }]);
        json!({ "timestamp": 1_795_000_000 + number, "model": "gpt-5.4", "messages": messages, "choices": choices, "usage": usage })
    };
    let text = (0..3_000).map(|number| line(number).to_string()).collect::<Vec<_>>().join("\n");
    let (turns, issues) = turns(text.as_bytes());
    assert_eq!((turns.len(), issues.len()), (3_000, 0));
    assert!(turns.is_sorted_by_key(|turn| turn.started_at));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    /// A truncated line is reported, and every other line is read.
    #[test]
    fn a_file_cut_anywhere_has_the_calls_of_its_whole_lines(cut in any::<Index>()) {
        let cut = cut.index(LOG.len());
        let whole_lines = LOG[..cut].rfind('\n').map_or(0, |at| at + 1);
        let count = |text: &str| turns(text.as_bytes()).0.iter().map(|turn| turn.calls().count()).sum::<usize>();
        let (part, lines) = (count(&LOG[..cut]), count(&LOG[..whole_lines]));
        prop_assert!(part == lines || part == lines + 1, "{part} {lines}");
    }

    /// The reader neither stops nor panics on arbitrary input.
    #[test]
    fn garbage_costs_only_itself(at in any::<Index>(), junk in vec(any::<u8>(), 1..40)) {
        let mut bytes = LOG.as_bytes().to_vec();
        let at = at.index(bytes.len());
        bytes.splice(at..at, junk);
        let count = |bytes: &[u8]| turns(bytes).0.iter().map(|turn| turn.calls().count()).sum::<usize>();
        prop_assert!(count(LOG.as_bytes()) <= count(&bytes) + 1);
    }
}

/// Two conversations with one session id are separate turns, and two tool calls with one id are separate tools.
#[test]
fn conversations_that_share_a_session_stay_apart_and_tools_that_share_an_id_are_told_apart() {
    let line = |second: u32, messages: &str, answer: &str| {
        format!(
            r#"{{"session":"s","ended_at":"2026-11-18T09:00:{second:02}Z","request":{{"model":"gpt-5.4","messages":[{messages}]}},"response":{{"id":"r{second}","model":"gpt-5.4","choices":[{{"finish_reason":"stop","message":{{{answer}}}}}],"usage":{{"prompt_tokens":9,"completion_tokens":1}}}}}}"#
        )
    };
    let asked = r#"{"role":"user","content":"fix it"}"#;
    let tool = r#""tool_calls":[{"id":"call_0","function":{"name":"read","arguments":"{}"}}]"#;
    let answered = |times: usize| {
        let round =
            format!(r#",{{"role":"assistant",{tool}}},{{"role":"tool","tool_call_id":"call_0","content":"ok"}}"#);
        format!("{asked}{}", round.repeat(times))
    };
    let file = [
        line(1, asked, tool),
        line(2, r#"{"role":"user","content":"a title for: fix it"}"#, r#""content":"Fix""#),
        line(3, &answered(1), tool),
        line(4, &answered(2), r#""content":"done""#),
    ]
    .join("\n");
    let mut reader = SessionReader::new("log.jsonl".as_ref(), file.as_bytes());
    let turns: Vec<_> = reader.by_ref().collect();
    assert_eq!(reader.issues(), []);
    assert_eq!(turns.len(), 2, "one turn of each conversation: {turns:#?}");
    let long = turns.iter().find(|turn| turn.message == "fix it").unwrap();
    assert_eq!((long.calls().count(), long.end.unwrap().0), (3, TurnStatus::Completed));
    let ids: BTreeSet<_> = long.tools().map(|tool| tool.id.clone()).collect();
    let finished = |step: &&Step| matches!(step, Step::ToolFinished(result) if ids.contains(&result.id));
    assert_eq!((ids.len(), long.steps.iter().filter(finished).count()), (2, 2));
}
