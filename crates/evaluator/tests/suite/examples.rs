//! Worked examples: the verdicts that follow from a sequence of events.

use crate::script::{last, verdicts};

/// The confidence from which a verdict counts for learning, in billionths.
const COUNTS: u64 = 500_000_000;

#[test]
fn a_finished_turn_counts_once_the_user_moves_on() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks round the total of the cart
        1 a1 calls opus
        2 a1 edits cart.rs
        3 a1 calls opus
        4 a1 ends completed
        60 a2 asks add a test for that
    "), @"
    after `4 a1 ends completed`:
      opus: score 1.00, confidence 0.38
        tool succeeded by `2 a1 edits cart.rs`
        completed by `4 a1 ends completed`
    after `60 a2 asks add a test for that`:
      opus: score 1.00, confidence 0.56
        tool succeeded by `2 a1 edits cart.rs`
        completed by `4 a1 ends completed`
        continued by `60 a2 asks add a test for that`
    ");
}

#[test]
fn a_correction_outweighs_all_the_tools_that_succeeded() {
    let tools = (2..52).map(|second| format!("{second} a1 runs {second}\n")).collect::<Vec<_>>().concat();
    let script =
        format!("0 a1 asks sort the list\n1 a1 calls opus\n{tools}60 a1 ends completed\n70 a2 asks no, by date");
    let (score, confidence, signals) = last(&script, "a1");
    assert_eq!(signals, ["tool succeeded", "completed", "corrected"]);
    assert_eq!((score, COUNTS <= confidence), (5 * 1_000_000_000 / 17, true));
}

#[test]
fn a_repeated_request_is_negative() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks please fix the rounding of the cart total in euros
        1 a1 calls haiku
        2 a1 ends completed
        60 a2 asks please fix the rounding of the cart total in euros
    "), @"
    after `2 a1 ends completed`:
      haiku: score 1.00, confidence 0.27
        completed by `2 a1 ends completed`
    after `60 a2 asks please fix the rounding of the cart total in euros`:
      haiku: score 0.20, confidence 0.65
        completed by `2 a1 ends completed`
        repeated request by `60 a2 asks please fix the rounding of the cart total in euros`
    ");
}

#[test]
fn a_repeated_short_message_is_no_repeated_request() {
    let script = "0 a1 asks continue\n1 a1 calls opus\n2 a1 ends completed\n3 a2 asks continue";
    assert_eq!(last(script, "a1").2, ["completed", "continued"]);
}

#[test]
fn a_correction_to_another_model_reassigns_the_work() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks why is the cache cold
        1 a1 calls haiku
        2 a1 ends completed
        60 a2 asks @opus that's wrong, look at the headers
        61 a2 calls opus
        62 a2 ends completed
        90 a3 asks perfect, thanks
    "), @"
    after `2 a1 ends completed`:
      haiku: score 1.00, confidence 0.27
        completed by `2 a1 ends completed`
    after `60 a2 asks @opus that's wrong, look at the headers`:
      haiku: score 0.06, confidence 0.85
        completed by `2 a1 ends completed`
        corrected by `60 a2 asks @opus that's wrong, look at the headers`
        reassigned by `60 a2 asks @opus that's wrong, look at the headers`
    after `62 a2 ends completed`:
      opus: score 1.00, confidence 0.27
        completed by `62 a2 ends completed`
    after `90 a3 asks perfect, thanks`:
      opus: score 1.00, confidence 0.65
        completed by `62 a2 ends completed`
        approved by `90 a3 asks perfect, thanks`
    ");
}

#[test]
fn a_new_request_to_another_model_does_not_reassign_the_work() {
    let script =
        "0 a1 asks explain this\n1 a1 calls haiku\n2 a1 ends completed\n60 a2 asks +opus now design the schema";
    assert_eq!(last(script, "a1").2, ["completed", "continued"]);
}

#[test]
fn an_override_during_a_turn_judges_both_models() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks plan the migration
        1 a1 calls haiku
        2 a1 overrides haiku opus
        3 a1 calls opus
        4 a1 ends completed
    "), @"
    after `4 a1 ends completed`:
      haiku: score 0.00, confidence 0.80
        reassigned by `2 a1 overrides haiku opus`
    after `4 a1 ends completed`:
      opus: score 1.00, confidence 0.81
        chosen by user by `2 a1 overrides haiku opus`
        completed by `4 a1 ends completed`
    ");
}

#[test]
fn an_override_before_any_call_judges_only_the_chosen_model() {
    let script = "0 a1 asks plan it\n1 a1 overrides haiku opus\n2 a1 calls opus\n3 a1 ends completed";
    insta::assert_snapshot!(verdicts(script), @"
    after `3 a1 ends completed`:
      opus: score 1.00, confidence 0.81
        chosen by user by `1 a1 overrides haiku opus`
        completed by `3 a1 ends completed`
    ");
}

#[test]
fn keeping_the_model_against_a_suggestion_is_positive() {
    let script = "0 a1 asks plan it\n1 a1 keeps haiku\n2 a1 calls haiku\n3 a1 ends completed";
    assert_eq!(last(script, "a1").2, ["chosen by user", "completed"]);
}

#[test]
fn files_reverted_within_three_turns_are_negative() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks move the parser
        1 a1 calls opus
        2 a1 edits parser.rs
        3 a1 ends completed
        10 a2 asks show me the diff
        11 a2 calls opus
        12 a2 reverts parser.rs failed
        13 a2 reverts parser.rs
    "), @"
    after `3 a1 ends completed`:
      opus: score 1.00, confidence 0.38
        tool succeeded by `2 a1 edits parser.rs`
        completed by `3 a1 ends completed`
    after `10 a2 asks show me the diff`:
      opus: score 1.00, confidence 0.56
        tool succeeded by `2 a1 edits parser.rs`
        completed by `3 a1 ends completed`
        continued by `10 a2 asks show me the diff`
    after `13 a2 reverts parser.rs`:
      opus: score 0.33, confidence 0.79
        tool succeeded by `2 a1 edits parser.rs`
        completed by `3 a1 ends completed`
        continued by `10 a2 asks show me the diff`
        reverted by `13 a2 reverts parser.rs`
    ");
}

#[test]
fn reverting_everything_reverts_the_last_turn_that_wrote_files() {
    let script = "
        0 a1 asks one
        1 a1 calls opus
        2 a1 edits one.rs
        3 a1 ends completed
        4 a2 asks two
        5 a2 calls opus
        6 a2 edits two.rs
        7 a2 ends completed
        8 a3 asks reset it all
        9 a3 reverts
    ";
    assert_eq!(last(script, "a1").2, ["tool succeeded", "completed", "continued"]);
    assert_eq!(last(script, "a2").2, ["tool succeeded", "completed", "continued", "reverted"]);
}

/// A revert counts for turns up to three turns earlier, not for the fourth.
#[test]
fn the_fourth_turn_reverts_nothing() {
    let begin = "0 a1 asks one\n1 a1 calls opus\n2 a1 edits one.rs\n3 a1 ends completed\n";
    let turns = (2..=5).map(|turn| format!("{turn}0 a{turn} asks more\n")).collect::<Vec<_>>().concat();
    let script = [begin, &turns].concat();
    let third = script.replace("50 a5 asks more\n", "41 a4 reverts one.rs\n");
    assert!(last(&third, "a1").2.contains(&"reverted".to_owned()));
    assert!(!last(&format!("{script}51 a5 reverts one.rs\n"), "a1").2.contains(&"reverted".to_owned()));
}

#[test]
fn an_interruption_is_negative_and_the_next_message_is_no_consent() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks refactor the importer
        1 a1 calls opus
        2 a1 runs
        3 a1 runs declined
        4 a1 ends cancelled
        9 a2 asks only the tests
    "), @"
    after `4 a1 ends cancelled`:
      opus: score 0.15, confidence 0.62
        tool succeeded by `2 a1 runs`
        tool declined by `3 a1 runs declined`
        cancelled by `4 a1 ends cancelled`
    ");
}

#[test]
fn failed_calls_alone_stay_below_the_confidence_that_counts() {
    let script =
        "0 a1 asks go\n1 a1 calls opus\n2 a1 runs\n3 a1 fails overloaded\n4 a1 fails overloaded\n5 a1 ends failed";
    let (score, confidence, signals) = last(script, "a1");
    assert_eq!(signals, ["tool succeeded", "call failed", "call failed", "gave up"]);
    assert!(score < 500_000_000 && confidence < COUNTS, "{score} {confidence}");
}

#[test]
fn a_refused_response_counts_in_a_turn_with_tools() {
    let script = "0 a1 asks go\n1 a1 calls opus\n2 a1 runs\n3 a1 calls opus refusing\n4 a1 ends completed";
    let (score, confidence, signals) = last(script, "a1");
    assert_eq!(signals, ["tool succeeded", "withheld", "completed"]);
    assert!(score < 500_000_000 && COUNTS <= confidence, "{score} {confidence}");
}

#[test]
fn the_last_rating_outweighs_all_other_signals() {
    insta::assert_snapshot!(verdicts("
        0 a1 asks please fix the rounding of the cart total
        1 a1 calls opus too-long
        2 a1 edits cart.rs
        3 a1 ends completed
        4 a1 rating down
        5 a1 rating up
        60 a2 asks no, please fix the rounding of the cart total
        61 a2 reverts cart.rs
    "), @"
    after `3 a1 ends completed`:
      opus: score 0.71, confidence 0.47
        cut short by `1 a1 calls opus too-long`
        tool succeeded by `2 a1 edits cart.rs`
        completed by `3 a1 ends completed`
    after `4 a1 rating down`:
      opus: score 0.04, confidence 0.94
        cut short by `1 a1 calls opus too-long`
        tool succeeded by `2 a1 edits cart.rs`
        completed by `3 a1 ends completed`
        rating down by `4 a1 rating down`
    after `5 a1 rating up`:
      opus: score 0.99, confidence 0.94
        cut short by `1 a1 calls opus too-long`
        tool succeeded by `2 a1 edits cart.rs`
        completed by `3 a1 ends completed`
        rating up by `5 a1 rating up`
    after `60 a2 asks no, please fix the rounding of the cart total`:
      opus: score 0.84, confidence 0.95
        cut short by `1 a1 calls opus too-long`
        tool succeeded by `2 a1 edits cart.rs`
        completed by `3 a1 ends completed`
        rating up by `5 a1 rating up`
        repeated request by `60 a2 asks no, please fix the rounding of the cart total`
        corrected by `60 a2 asks no, please fix the rounding of the cart total`
    after `61 a2 reverts cart.rs`:
      opus: score 0.74, confidence 0.96
        cut short by `1 a1 calls opus too-long`
        tool succeeded by `2 a1 edits cart.rs`
        completed by `3 a1 ends completed`
        rating up by `5 a1 rating up`
        repeated request by `60 a2 asks no, please fix the rounding of the cart total`
        corrected by `60 a2 asks no, please fix the rounding of the cart total`
        reverted by `61 a2 reverts cart.rs`
    ");
}

#[test]
fn a_message_after_a_day_is_no_reaction() {
    let day = 24 * 3_600;
    let script =
        |start: u64| format!("0 a1 asks one thing\n1 a1 calls opus\n2 a1 ends completed\n{start} a2 asks that's wrong");
    assert_eq!(last(&script(2 + day), "a1").2, ["completed", "corrected"]);
    assert_eq!(last(&script(3 + day), "a1").2, ["completed"]);
}

#[test]
fn a_turn_without_an_answered_call_has_no_verdict() {
    assert_eq!(
        verdicts("0 a1 asks go\n1 a1 fails overloaded\n2 a1 ends failed\n3 a2 asks go on\n4 a1 rating down"),
        ""
    );
    assert_eq!(verdicts("0 a1 asks go\n1 a1 calls haiku aside\n2 a1 ends refused"), "");
}

#[test]
fn a_sub_agent_is_judged_by_its_own_conversation() {
    let script = "
        0 a1 asks find the callers
        1 a1 calls opus
        2 a2/x asks list all callers of parse
        3 a2/x calls haiku
        4 a2/x ends completed
        5 a1 ends completed
        6 a3 asks that's wrong
    ";
    assert_eq!(last(script, "a2/x").2, ["completed"]);
    assert_eq!(last(script, "a1").2, ["completed", "corrected"]);
}

#[test]
fn at_most_64_of_a_hundred_failed_tools_are_listed() {
    let tools = (2..102).map(|second| format!("{second} a1 runs {second} failed\n")).collect::<Vec<_>>().concat();
    let script = format!("0 a1 asks go\n1 a1 calls opus\n{tools}200 a1 ends completed\n201 a2 asks thanks");
    let mut log = crate::script::Log::default();
    let _ = log.append_script(&script);
    let verdicts = log.view.state().verdicts(crate::events::turn_id("a1"), &evaluator::Rubric::built_in());
    let verdict = verdicts.last().unwrap();
    assert_eq!((verdict.signals.len(), verdict.signals_omitted), (64, 38));
    assert_eq!(verdict.score.0, 15 * 1_000_000_000 / 17);
}
