//! Rubrics from files.

use evaluator::{Rubric, RubricError, Weights};
use event_core::Position;

use crate::script::Log;

/// A corrected turn, followed by one without a reaction.
const SCRIPT: &str = "
    0 a1 asks one
    1 a1 calls opus
    2 a1 ends completed
    3 a2 asks that's wrong
    4 a2 calls opus
    5 a2 ends completed
";

#[test]
fn omitted_weights_of_a_rubric_have_their_built_in_value() {
    let rubric: Rubric = serde_json::from_str(r#"{"name":"strict","version":2,"weights":{"corrected":100}}"#).unwrap();
    let weights = Weights { corrected: 100, ..Weights::default() };
    assert_eq!(rubric, Rubric::new("strict", 2, weights).unwrap());
}

#[test]
fn a_rubric_with_an_unknown_key_is_rejected() {
    for file in [
        r#"{"name":"strict","version":1,"weights":{"corected":100}}"#,
        r#"{"name":"strict","version":1,"wieghts":{}}"#,
        r#"{"name":"strict"}"#,
    ] {
        assert!(serde_json::from_str::<Rubric>(file).is_err(), "{file}");
    }
}

#[test]
fn a_rubric_needs_a_valid_name_and_version() {
    let error = |name: &str, version| Rubric::new(name, version, Weights::default()).unwrap_err();
    assert_eq!(error("", 1), RubricError::Name(String::new()));
    assert_eq!(error("my rubric", 1), RubricError::Name("my rubric".to_owned()));
    assert_eq!(error("mine", 0), RubricError::Version("mine".to_owned()));
    assert_eq!(error("turn-signals", 1), RubricError::BuiltIn);
}

#[test]
fn another_rubric_adds_its_verdicts_to_the_log() {
    let mut log = Log::default();
    let _ = log.append_script(SCRIPT);
    let strict = Rubric::new("strict", 1, Weights { completed: 0, ..Weights::default() }).unwrap();
    let mut replayed = evaluator::Evaluator::unbounded();
    for event in &log.events {
        event_core::Projection::apply_recorded(&mut replayed, event).unwrap();
    }
    let due = replayed.due_verdicts(&strict, Position::ORIGIN);
    let shown: Vec<_> = due.iter().map(|verdict| log.show(verdict)).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    opus: score 0.00, confidence 0.60
      completed by `2 a1 ends completed`
      corrected by `3 a2 asks that's wrong`
    opus: score 0.00, confidence 0.00
      completed by `5 a2 ends completed`
    ");
    for verdict in &due {
        log.append(verdict.clone().seal().unwrap().event, "verdict");
    }
    assert_eq!(log.view.state().due_verdicts(&strict, Position::ORIGIN), []);
    assert_eq!(log.view.state().due_verdicts(&Rubric::built_in(), Position::ORIGIN), []);
}
