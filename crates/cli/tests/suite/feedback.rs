//! The command `feedback`: ratings of turns.

use crate::desk::{Desk, said};

/// Creates a home with the bundled session imported.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk
}

/// The command prints the verdict after the rating; a later rating replaces an earlier one.
#[test]
fn a_rating_is_answered_with_the_verdict_it_leads_to() {
    let desk = desk();
    insta::assert_snapshot!(desk.ok(&["feedback", "down", "c1a69c50"]), @"
    Rating down for turn c1a69c502c0ec6c8ab42269cba5aebcb.
    anthropic:claude-sonnet-4-6 is scored 0.07 at confidence 0.95: tools succeeded, the turn completed, the next message continued, rating down.
    ");
    insta::assert_snapshot!(desk.ok(&["feedback", "up", "c1a69c50"]), @"
    Rating up for turn c1a69c502c0ec6c8ab42269cba5aebcb.
    anthropic:claude-sonnet-4-6 is scored 1.00 at confidence 0.95: tools succeeded, the turn completed, the next message continued, rating up.
    ");
}

/// The log contains the rating and the new verdict as events.
#[test]
fn a_rating_is_a_event_and_so_is_the_verdict() {
    let desk = desk();
    let feedback = desk.json(&["feedback", "down"]);
    assert_eq!(feedback["given"]["rating"], "down");
    let verdict = &feedback["verdicts"][0];
    assert_eq!(verdict["signals"].as_array().unwrap().last().unwrap()["kind"], "rating_down");
    let tail = desk.ok(&["events", "tail"]);
    assert!(tail.contains("feedback.given") && tail.contains("eval.completed"), "{tail}");
}

/// An unknown turn is an error of the arguments.
#[test]
fn a_turn_that_is_not_in_the_log_is_told() {
    let run = desk().run(&["feedback", "up", "ffffffff"]);
    assert!(run.code == 2 && run.err.contains("no turn `ffffffff`"), "{}", said(&run));
}
