//! Properties that hold for all scripts of events.

use contracts::{Score, events::EvalCompleted};
use evaluator::{Evaluator, Rubric, Weights};
use event_core::{Position, Projected, Projection, Recorded};
use proptest::{prelude::*, sample::select};

use crate::{events::events, reference, script::Log};

/// The verbs of random lines, with their arguments.
const VERBS: [&str; 25] = [
    "asks fix the total of the cart today",
    "asks fix the total of the cart today",
    "asks no, that's wrong",
    "asks thanks",
    "asks @haiku that's wrong",
    "asks +opus try again",
    "calls opus",
    "calls haiku",
    "calls haiku aside",
    "calls opus too-long",
    "calls opus refusing",
    "fails overloaded",
    "fails withheld",
    "edits cart.rs",
    "edits list.rs failed",
    "runs",
    "runs failed",
    "runs declined",
    "reverts cart.rs",
    "reverts",
    "ends completed",
    "ends cancelled",
    "rating up",
    "overrides haiku opus",
    "keeps opus",
];

/// Generates lines about five turns of two sessions, one of them of a sub-agent. The first line of each turn starts it.
fn script() -> impl Strategy<Value = Vec<String>> {
    let turn = select(&["a1", "a2", "a3", "b1", "a4/x"][..]);
    prop::collection::vec((turn, select(&VERBS[..])), 0..60).prop_map(|lines| {
        let mut script: Vec<String> = Vec::new();
        for (second, (turn, verb)) in lines.into_iter().enumerate() {
            let begun = script.iter().any(|line| line.contains(&format!(" {turn} asks")));
            if begun || verb.starts_with("asks") {
                script.push(format!("{second} {turn} {verb}"));
            } else {
                script.push(format!("{second} {turn} asks do it"));
            }
        }
        script
    })
}

/// Appends the events of one line, without verdicts.
fn append(log: &mut Log, line: &str) {
    for body in events(line) {
        log.append(body, line);
    }
}

/// Appends the events of all lines, without verdicts.
fn append_all(log: &mut Log, script: &[String]) {
    for line in script {
        append(log, line);
    }
}

/// Applies events to a projection.
fn advance(view: &mut Projected<Evaluator>, events: &[Recorded]) {
    for event in events {
        view.advance(event).unwrap();
    }
}

/// Runs 256 cases and saves no failures to disk.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() }
}

/// Generates the built-in weights or random ones.
fn weights() -> impl Strategy<Value = Weights> {
    prop_oneof![
        Just(Weights::default()),
        prop::array::uniform6(0..200_u16).prop_map(|[completed, tools, corrected, continued, rating, prior_weight]| {
            Weights { completed, tools, corrected, continued, rating, prior_weight, ..Weights::default() }
        }),
    ]
}

/// Returns the numbers of successful and failed tools of a turn in a script.
fn tools(script: &[String], turn: &str) -> (u64, u64) {
    let turn_event = |line: &&String| line.split_whitespace().nth(1) == Some(turn);
    let tools = script.iter().filter(turn_event).filter(|line| {
        let verb = line.split_whitespace().nth(2).unwrap();
        ["edits", "runs", "reverts"].contains(&verb) && !line.ends_with("declined")
    });
    let (failed, succeeded): (Vec<_>, Vec<_>) = tools.partition(|line| line.ends_with("failed"));
    (succeeded.len() as u64, failed.len() as u64)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn scores_and_confidences_follow_the_formula(script in script(), weights in weights()) {
        let rubric = Rubric::new("any", 1, weights).unwrap();
        // Tools are counted per work; without overrides a turn has one.
        let script: Vec<_> = script.into_iter().filter(|line| !line.contains("overrides")).collect();
        let mut log = Log::default();
        append_all(&mut log, &script);
        for turn in ["a1", "a2", "a3", "b1", "a4/x"] {
            for verdict in log.view.state().verdicts(crate::events::turn_id(turn), &rubric) {
                prop_assert!(verdict.score <= Score::ONE && verdict.confidence <= Score::ONE);
                let expected = reference::evaluate(&verdict.signals, tools(&script, turn), &weights);
                prop_assert_eq!((verdict.score.0, verdict.confidence.0), expected, "{}", turn);
            }
        }
    }

    #[test]
    fn nothing_is_due_after_the_verdicts_are_appended(script in script()) {
        let mut log = Log::default();
        for line in &script {
            append(&mut log, line);
            let _ = log.append_due_verdicts(&Rubric::built_in());
            prop_assert_eq!(log.view.state().due_verdicts(&Rubric::built_in(), Position::ORIGIN), []);
        }
    }

    /// Two runs of the same script append the same events with the same ids.
    #[test]
    fn the_events_of_a_test_log_are_deterministic(script in script()) {
        let run = || {
            let mut log = Log::default();
            for line in &script {
                append(&mut log, line);
                let _ = log.append_due_verdicts(&Rubric::built_in());
            }
            log.events
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn verdicts_at_the_end_equal_the_last_ones_appended_after_every_event(script in script()) {
        let (mut often, mut once) = (Log::default(), Log::default());
        for line in &script {
            append(&mut often, line);
            let _ = often.append_due_verdicts(&Rubric::built_in());
            append(&mut once, line);
        }
        let at_the_end = once.view.state().due_verdicts(&Rubric::built_in(), Position::ORIGIN);
        let verdicts: Vec<_> = often.events.iter().filter_map(|event| event.read::<EvalCompleted>().unwrap()).collect();
        for verdict in at_the_end {
            let same = |other: &&EvalCompleted| other.turn == verdict.event.turn && other.model == verdict.event.model;
            prop_assert_eq!(verdicts.iter().rfind(same), Some(&verdict.event));
        }
    }

    #[test]
    fn a_state_resumed_from_a_checkpoint_equals_the_state_folded_at_once(script in script(), cut in 0..60_usize) {
        let mut log = Log::default();
        for line in &script {
            append(&mut log, line);
            let _ = log.append_due_verdicts(&Rubric::built_in());
        }
        let (before, after) = log.events.split_at(cut.min(log.events.len()));
        let mut first = Projected::<Evaluator>::default();
        advance(&mut first, before);
        let head = Position(log.events.len() as u64);
        let mut second = Projected::<Evaluator>::resume(Some(&first.checkpoint().unwrap()), head);
        prop_assert_eq!(second.position(), Position(before.len() as u64));
        advance(&mut second, after);
        prop_assert_eq!(second.state(), log.view.state());
    }

    #[test]
    fn turns_of_other_sessions_do_not_change_verdicts(script in script()) {
        let verdicts = |lines: &[String]| {
            let mut log = Log::default();
            append_all(&mut log, lines);
            let state = log.view.state();
            ["a1", "a2", "a3"].map(|turn| state.verdicts(crate::events::turn_id(turn), &Rubric::built_in()))
        };
        let related = |line: &String| !line.contains(" b1 ") && !line.contains(" a4/x ");
        let (mine, others): (Vec<String>, Vec<String>) = script.iter().cloned().partition(related);
        let expected = verdicts(&mine);
        prop_assert_eq!(&verdicts(&script), &expected);
        prop_assert_eq!(&verdicts(&[others.clone(), mine.clone()].concat()), &expected);
        prop_assert_eq!(&verdicts(&[mine, others].concat()), &expected);
    }
}

/// Of 2,500 turns only the last 2,000 are in memory.
#[test]
fn the_number_of_turns_in_memory_is_limited() {
    let mut state = Evaluator::default();
    let mut position = Position::ORIGIN;
    for turn in 0..2_500 {
        for line in [
            format!("{turn} a{turn} asks do it"),
            format!("{turn} a{turn} calls opus"),
            format!("{turn} a{turn} ends completed"),
        ] {
            for body in events(&line) {
                position = position.next();
                let at = body.at;
                state.apply_recorded(&Recorded::new(position, at, body)).unwrap();
            }
        }
    }
    let due = state.due_verdicts(&Rubric::built_in(), Position::ORIGIN);
    assert_eq!(due.len(), 2_000);
    assert!(!state.contains(crate::events::turn_id("a499")) && state.contains(crate::events::turn_id("a500")));
}
