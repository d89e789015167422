//! Verdicts on turns: while they run, after feedback, and in a re-evaluation of the whole log.

use contracts::{
    Tone,
    events::{EvalCompleted, FeedbackGiven, Rating, SignalKind, StopReason, TurnStarted},
};
use engine::{Evaluation, Reevaluation, read_rubric};
use evaluator::{Rubric, Weights};

use crate::support::{
    Desk,
    desk::START,
    models::SONNET,
    recorded::{call, completed, recorded_session, recorded_turn},
};

/// The policy of these tests.
const POLICY: &str = "global_default: sonnet";

/// Returns the kinds of a verdict's signals, in order.
fn kinds(verdict: &EvalCompleted) -> Vec<SignalKind> {
    verdict.signals.iter().map(|signal| signal.kind).collect()
}

/// Returns an engine after a completed turn and the start of another with the message `second`.
fn two_turns(second: &str) -> Desk {
    let mut desk = Desk::with(POLICY);
    desk.start("s", "round the total of the cart");
    desk.answer("s", StopReason::EndTurn);
    desk.end("s");
    desk.start("s", second);
    desk
}

/// A verdict on a turn is recorded at its end, and another one when the next message corrects it, before that message
/// is decided.
#[test]
fn a_live_turn_is_judged_when_it_ends_and_again_by_the_next_message_before_that_is_decided() {
    let desk = two_turns("no, the other total");
    let verdicts = desk.all::<EvalCompleted>();
    let signals: Vec<_> = verdicts.iter().map(kinds).collect();
    assert_eq!(signals, [vec![SignalKind::Completed], vec![SignalKind::Completed, SignalKind::Corrected]]);
    assert_eq!(verdicts[1].model.as_ref().unwrap().as_str(), SONNET);
    let tones: Vec<_> = desk.all::<TurnStarted>().iter().map(|turn| turn.tone).collect();
    assert_eq!(tones, [Tone::Plain, Tone::Correction]);
    let order = desk.kinds_after(event_core::Position::ORIGIN);
    let last = |kind: &str| order.iter().rposition(|found| found == kind).unwrap();
    assert!(last("turn.started") < last("eval.completed") && last("eval.completed") < last("route.decided"));
}

/// Verdicts on imported turns are recorded during the import.
#[test]
fn imported_turns_are_judged_while_they_are_imported() {
    let mut desk = Desk::with(POLICY);
    let session = recorded_session("rec", START);
    let mut first = recorded_turn("rec", "m1", "fix the parser", START);
    first.steps.push(call("c1", START.plus_secs(1), SONNET));
    let second = recorded_turn("rec", "m2", "perfect, thanks", START.plus_secs(60));
    desk.engine.observe_session(&session).unwrap();
    for turn in [completed(first, START.plus_secs(2)), second] {
        desk.engine.observe_turn(&session, &turn).unwrap();
    }
    desk.engine.commit().unwrap();
    let last = desk.all::<EvalCompleted>().pop().unwrap();
    assert_eq!(kinds(&last), [SignalKind::Completed, SignalKind::Approved]);
}

/// A rating is recorded and changes the verdict at once; a later rating replaces it.
#[test]
fn a_rating_is_recorded_and_judged_at_once() {
    let mut desk = two_turns("go on");
    let turn = desk.all::<TurnStarted>()[0].turn;
    let down = desk.engine.give_feedback(turn, Rating::Down).unwrap();
    assert_eq!(kinds(&down.verdicts[0]).last(), Some(&SignalKind::RatingDown));
    assert!(down.verdicts[0].score.0 < 100_000_000 && !down.later);
    let up = desk.engine.give_feedback(turn, Rating::Up).unwrap();
    assert!(900_000_000 < up.verdicts[0].score.0);
    let ratings: Vec<_> = desk.all::<FeedbackGiven>().iter().map(|given| given.rating).collect();
    assert_eq!(ratings, [Rating::Down, Rating::Up]);
    assert_eq!(desk.all::<EvalCompleted>().last(), Some(&up.verdicts[0]));
}

/// A rating of an unknown turn is an error and records nothing.
#[test]
fn a_rating_on_a_turn_that_nobody_knows_is_refused() {
    let mut desk = two_turns("go on");
    let error = desk.engine.give_feedback(contracts::TurnId::default(), Rating::Up).unwrap_err();
    assert!(error.to_string().contains("no turn"), "{error}");
    assert_eq!(desk.all::<FeedbackGiven>(), []);
}

/// Evaluates the whole log under a rubric and records the verdicts.
fn reevaluated(desk: &mut Desk, rubric: Rubric) -> Evaluation {
    let mut reevaluation = Reevaluation::new(rubric);
    let verdicts = reevaluation.advance(desk.log.as_ref()).unwrap();
    desk.engine.record_verdicts(verdicts).unwrap();
    desk.engine.commit().unwrap();
    assert_eq!(reevaluation.advance(desk.log.as_ref()).unwrap(), [], "its own verdicts make nothing due");
    reevaluation.summary()
}

/// A re-evaluation under the built-in rubric records no verdict, since they are all in the log.
#[test]
fn judging_the_log_anew_under_the_built_in_rubric_adds_nothing() {
    let mut desk = two_turns("that's wrong");
    let (head, rubric) = (desk.head(), Rubric::built_in());
    let found = reevaluated(&mut desk, rubric);
    assert_eq!((found.judged, found.recorded, found.counted), (1, 0, 1));
    assert_eq!(desk.head(), head);
}

/// A re-evaluation under another rubric records its verdicts once, and they do not cause new ones under the built-in
/// rubric.
#[test]
fn judging_the_log_anew_under_another_rubric_adds_its_verdicts_once() {
    let mut desk = two_turns("that's wrong");
    let strict = Rubric::new("strict", 3, Weights { completed: 0, ..Weights::default() }).unwrap();
    let before = desk.all::<EvalCompleted>().len();
    let found = reevaluated(&mut desk, strict.clone());
    let mean = Some(contracts::Score::ZERO);
    let expected = Evaluation { rubric: "strict".to_owned(), version: 3, judged: 1, recorded: 1, counted: 1, mean };
    assert_eq!(found, expected);
    let verdicts = desk.all::<EvalCompleted>();
    assert_eq!((verdicts.len(), verdicts[before].rubric.as_str()), (before + 1, "strict"));
    assert_eq!(reevaluated(&mut desk, strict), Evaluation { recorded: 0, ..expected });
    let mut desk = desk.restarted();
    let head = desk.head();
    desk.engine.record_consequences().unwrap();
    assert_eq!(desk.head(), head, "the verdicts of another rubric make nothing due");
}

/// A rubric is read from a YAML file; an invalid one, or one named like the built-in rubric, is an error with the path.
#[test]
fn a_rubric_is_read_from_yaml_and_a_bad_one_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rubric.yaml");
    std::fs::write(&path, "name: strict\nversion: 2\nweights: {corrected: 40}\n").unwrap();
    let expected = Rubric::new("strict", 2, Weights { corrected: 40, ..Weights::default() }).unwrap();
    assert_eq!(read_rubric(&path).unwrap(), expected);
    for bad in ["name: strict\nversion: 2\nweights: {corected: 40}\n", "name: turn-signals\nversion: 1\n"] {
        std::fs::write(&path, bad).unwrap();
        let error = read_rubric(&path).unwrap_err().to_string();
        assert!(error.contains("rubric.yaml") && error.contains("rubric"), "{error}");
    }
    assert!(read_rubric(&folder.path().join("none.yaml")).is_err());
}
