//! The effect of each event on the stores.

use contracts::{
    AuxiliaryCall, Recommendation, Score, Thread, Usage,
    events::{EvalCompleted, LlmCallCompleted, PatternsCleared, TurnStarted},
    views::{PatternQuery, PatternSettings, PatternView},
};
use event_core::{Position, Projected};
use patterns::Patterns;

use crate::fixtures::{
    Log, WORKSPACE, called, ended, full, interrupted_call, judged, model, overridden, paper, started, worker_call,
};

/// Returns the recommendation for a turn like [`full`] in a workspace.
fn asked(patterns: &Patterns, workspace: Option<&str>, settings: &PatternSettings) -> Option<Recommendation> {
    patterns.recommend(&PatternQuery { workspace, features: &full(), settings, baseline: None, known: &|_| true })
}

/// Returns the recommendation for a turn like [`full`]: model and score in billionths.
fn advice(log: &Log) -> Option<(String, u64)> {
    let settings = PatternSettings { cost_weight: Score::ZERO, ..paper() };
    let found = asked(log.view.state(), Some(WORKSPACE), &settings)?;
    Some((found.model.to_string(), found.alternatives[0].score.unwrap().0))
}

#[test]
fn a_turn_is_recorded_when_it_has_ended() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&called("one", "a:x", Some(5)));
    assert_eq!(log.status(), []);
    log.append(&ended("one"));
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 0)]);
    log.append(&ended("one"));
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 0)]);
}

#[test]
fn a_turn_without_an_answered_call_is_not_recorded() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&ended("one"));
    assert_eq!(log.status(), []);
}

#[test]
fn turns_of_the_same_features_and_model_are_one_row() {
    let mut log = Log::default();
    log.turn("one", &full(), "a:x", Some(5));
    log.turn("two", &full(), "a:x", Some(5));
    log.turn("three", &full(), "a:y", Some(5));
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 2, 3, 0)]);
}

#[test]
fn an_evaluation_counts_before_and_after_the_end_of_the_turn() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&called("one", "a:x", None));
    log.append(&judged("one", 90, 80, 1));
    log.append(&ended("one"));
    log.turn("two", &full(), "a:x", None);
    log.append(&judged("two", 70, 80, 1));
    assert_eq!(advice(&log), Some(("a:x".to_owned(), 800_000_000)));
}

#[test]
fn an_evaluation_of_low_confidence_does_not_count() {
    let mut log = Log::default();
    log.turn("one", &full(), "a:x", None);
    log.append(&judged("one", 90, 49, 1));
    assert_eq!(advice(&log), None);
    log.append(&judged("one", 80, 50, 1));
    assert_eq!(advice(&log), Some(("a:x".to_owned(), 800_000_000)));
    log.append(&judged("one", 10, 49, 2));
    assert_eq!(advice(&log), Some(("a:x".to_owned(), 800_000_000)));
}

#[test]
fn the_same_or_a_newer_rubric_replaces_a_score_and_an_older_one_does_not() {
    let mut log = Log::default();
    log.turn("one", &full(), "a:x", None);
    for (score, version, counts) in [(50, 2, 50), (60, 2, 60), (70, 3, 70), (10, 2, 70)] {
        log.append(&judged("one", score, 90, version));
        assert_eq!(advice(&log), Some(("a:x".to_owned(), counts * 10_000_000)));
    }
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 1)]);
}

#[test]
fn an_evaluation_of_an_unknown_turn_is_ignored() {
    let mut log = Log::default();
    log.append(&judged("never", 90, 90, 1));
    assert_eq!(log.status(), []);
}

#[test]
fn auxiliary_calls_and_calls_of_workers_do_not_count() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&LlmCallCompleted { thread: Thread::Auxiliary(AuxiliaryCall::Title), ..called("one", "a:title", None) });
    log.append(&worker_call("one", "a:worker", None));
    log.append(&called("one", "a:planner", Some(5)));
    log.append(&ended("one"));
    log.append(&judged("one", 90, 90, 1));
    assert_eq!(advice(&log).unwrap().0, "a:planner");
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 1)]);
}

#[test]
fn interrupted_calls_count_towards_the_cost_only() {
    let turn = |used: Option<Usage>, broken: Option<u64>, answered: Option<u64>| {
        let mut log = Log::default();
        log.append(&started("one", &full()));
        log.append(&interrupted_call("one", "a:y", broken, used));
        log.append(&interrupted_call("one", "a:y", broken, used));
        log.append(&called("one", "a:x", answered));
        log.append(&ended("one"));
        log.view
    };
    let used = Some(Usage::default());
    assert_eq!(turn(used, Some(3), Some(5)), turn(None, None, Some(11)));
    assert_eq!(turn(used, None, Some(5)), turn(None, None, None));
}

#[test]
fn the_model_of_a_turn_is_the_one_that_answered_most_of_its_calls() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    for by in ["a:z", "a:y", "a:y"] {
        log.append(&called("one", by, None));
    }
    log.append(&ended("one"));
    log.append(&judged("one", 90, 90, 1));
    assert_eq!(advice(&log).unwrap().0, "a:y");
}

#[test]
fn an_override_attributes_earlier_calls_to_the_first_model() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&called("one", "a:rule", None));
    log.append(&called("one", "a:rule", None));
    log.append(&overridden("one", "a:rule", "a:pattern"));
    log.append(&called("one", "a:pattern", None));
    log.append(&EvalCompleted { model: Some(model("a:rule")), ..judged("one", 10, 90, 1) });
    log.append(&ended("one"));
    log.append(&judged("one", 90, 90, 1));
    // Two rows, each with its own verdict.
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 2, 2, 2)]);
    assert_eq!(advice(&log).unwrap(), ("a:pattern".to_owned(), 900_000_000));
}

#[test]
fn an_override_before_any_call_attributes_nothing_to_the_first_model() {
    let mut log = Log::default();
    log.append(&started("one", &full()));
    log.append(&overridden("one", "a:rule", "a:pattern"));
    log.append(&called("one", "a:pattern", None));
    log.append(&ended("one"));
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 0)]);
}

#[test]
fn workspaces_have_separate_stores() {
    let mut log = Log::default();
    log.turn("one", &full(), "a:x", None);
    log.append(&judged("one", 90, 90, 1));
    let patterns = log.view.state();
    let settings = paper();
    for (workspace, found) in [(Some(WORKSPACE), true), (Some("/elsewhere"), false), (None, false)] {
        assert_eq!(asked(patterns, workspace, &settings).is_some(), found, "{workspace:?}");
    }
}

#[test]
fn a_store_is_restored_from_a_checkpoint() {
    let mut log = Log::default();
    log.turn("one", &full(), "a:x", None);
    log.append(&judged("one", 90, 90, 1));
    let saved = log.view.checkpoint().unwrap();
    let resumed: Projected<Patterns> = Projected::resume(Some(&saved), Position(4));
    assert_eq!(resumed, log.view);
    assert!(asked(resumed.state(), Some(WORKSPACE), &paper()).is_some());
}

/// Returns a log with an evaluated turn in each of two workspaces and in none.
fn three_workspaces() -> Log {
    let mut log = Log::default();
    for (name, workspace) in [("one", Some(WORKSPACE)), ("two", Some("/elsewhere")), ("three", None)] {
        let workspace = workspace.map(str::to_owned);
        log.append(&TurnStarted { workspace, ..started(name, &full()) });
        log.append(&called(name, "a:x", Some(5)));
        log.append(&ended(name));
        log.append(&judged(name, 90, 90, 1));
    }
    log
}

#[test]
fn clearing_a_workspace_removes_its_store() {
    let elsewhere = || Some("/elsewhere".to_owned());
    for (cleared, left) in [
        (PatternsCleared { all: false, workspace: elsewhere(), rows: 1 }, vec![None, Some(WORKSPACE)]),
        (PatternsCleared { all: false, workspace: None, rows: 1 }, vec![Some("/elsewhere"), Some(WORKSPACE)]),
        (PatternsCleared { all: true, workspace: elsewhere(), rows: 3 }, vec![]),
    ] {
        let mut log = three_workspaces();
        log.append(&cleared);
        let workspaces: Vec<_> = log.view.state().status().map(|row| row.workspace).collect();
        assert_eq!(workspaces, left, "{cleared:?}");
    }
}

#[test]
fn an_evaluation_of_a_cleared_turn_is_ignored() {
    let mut log = three_workspaces();
    log.append(&PatternsCleared { all: true, workspace: None, rows: 3 });
    log.append(&judged("one", 10, 90, 2));
    assert_eq!(log.status(), []);
    log.turn("four", &full(), "a:x", Some(5));
    log.append(&judged("one", 20, 90, 3));
    assert_eq!(log.status(), [(Some(WORKSPACE), 1, 1, 1, 0)]);
    log.append(&judged("four", 70, 90, 1));
    assert_eq!(advice(&log), Some(("a:x".to_owned(), 700_000_000)));
}
