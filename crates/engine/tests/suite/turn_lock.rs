//! A turn stays locked to its model; a swap waits for the next turn (004 §3, §8.9, §8.10, §10.1 tests 3
//! and 27).

use contracts::{
    ModelId, SideEffect,
    events::{StopReason, ToolCalled, ToolFinished, ToolOutcome, TurnEnded, TurnStatus},
};
use test_events::tool_called;

use crate::support::{
    Desk,
    desk::{START, session},
    models::{HAIKU, OPUS, SONNET, model_id},
    story::story,
};

/// A policy that selects Sonnet for messages that begin with `Read`.
const READS: &str = r#"
rules:
  - name: "balanced for reads"
    when: {message_matches: "^Read"}
    use: sonnet
global_default: haiku
"#;

/// Records a tool call and its result.
fn read_file(desk: &mut Desk, call: &str) {
    let turn = desk.running("sess_42").unwrap();
    let (session, call) = (session("sess_42"), call.to_owned());
    desk.record(
        turn,
        &ToolCalled {
            name: "read_file".to_owned(),
            side_effect: SideEffect::Read,
            extensions: vec![".md".to_owned()],
            ..tool_called(turn, session.clone(), &call)
        },
    );
    desk.pass_millis(300);
    let (outcome, extensions) = (ToolOutcome::Succeeded, Vec::new());
    desk.record(turn, &ToolFinished { turn, session, call, outcome, output_bytes: 812, extensions });
}

/// Sets the model of the session, or clears it; returns the message for the user.
fn swap(desk: &mut Desk, model: Option<&str>) -> String {
    let model: Option<ModelId> = model.map(|name| desk.engine.model_named(name).unwrap());
    desk.engine.select_model(&session("sess_42"), model).unwrap().to_string()
}

/// Formats the events of the log, and the explanation of the last decision.
fn shown(desk: &Desk) -> String {
    let why = engine::last_decision(desk.log.as_ref()).unwrap().text(desk.engine.texts().as_ref());
    format!("{}\n{why}", story(&desk.events(), START))
}

/// Example 004 §8.9: a turn keeps its model through its tool calls.
#[test]
fn example_8_9_a_turn_keeps_its_model_through_tool_cycles() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read README.md and summarize");
    desk.pass_millis(1_200);
    desk.answer("sess_42", StopReason::ToolUse);
    read_file(&mut desk, "toolu_01");
    desk.pass_millis(100);
    desk.answer("sess_42", StopReason::ToolUse);
    read_file(&mut desk, "toolu_02");
    desk.pass_millis(200);
    desk.answer("sess_42", StopReason::EndTurn);
    desk.end("sess_42");
    insta::assert_snapshot!(shown(&desk));
}

/// Example 004 §8.10: a model set during a turn applies to the next turn.
#[test]
fn example_8_10_a_swap_in_the_middle_of_a_turn_waits_for_the_next() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read README.md and summarize");
    desk.pass_millis(1_200);
    desk.answer("sess_42", StopReason::ToolUse);
    let banner = swap(&mut desk, Some("opus"));
    desk.pass_millis(700);
    desk.answer("sess_42", StopReason::EndTurn);
    desk.end("sess_42");
    desk.pass_millis(5_000);
    desk.start("sess_42", "Read the table of contents, too");
    insta::assert_snapshot!(format!("Shown: {banner}\n\n{}", shown(&desk)));
}

/// A turn is locked to one model from its start to its end, also if the user sets another one.
#[test]
fn the_lock_names_one_model_from_the_start_to_the_end_of_a_turn() {
    let mut desk = Desk::with(READS);
    assert_eq!(desk.locked_model("sess_42"), None);
    desk.start("sess_42", "Read it");
    for _ in 0..5 {
        assert_eq!(desk.locked_model("sess_42"), Some(&model_id(SONNET)));
        desk.answer("sess_42", StopReason::ToolUse);
        swap(&mut desk, Some("opus"));
    }
    desk.end("sess_42");
    assert_eq!(desk.locked_model("sess_42"), None);
}

/// Of several models set during a turn, the last one applies, also to later turns.
#[test]
fn of_several_swaps_in_one_turn_the_last_one_counts() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read it");
    assert_eq!(swap(&mut desk, Some("opus")), format!("Model swap pending: {OPUS}. Applies to next turn."));
    assert_eq!(swap(&mut desk, Some("haiku")), format!("Model swap pending: {HAIKU}. Applies to next turn."));
    desk.end("sess_42");
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(HAIKU));
    assert_eq!(desk.turn("sess_42", "Read it once more").as_deref(), Some(HAIKU), "it stays set");
}

/// Clearing the model during a turn applies from the next turn on.
#[test]
fn a_swap_back_to_the_rules_waits_as_well() {
    let mut desk = Desk::with(READS);
    assert_eq!(swap(&mut desk, Some("opus")), format!("Model set: {OPUS}. It takes every turn of this session."));
    assert_eq!(desk.start("sess_42", "Read it").model(), Some(&model_id(OPUS)));
    assert_eq!(swap(&mut desk, None), "Return to the rules pending. Applies to next turn.");
    assert_eq!(desk.locked_model("sess_42"), Some(&model_id(OPUS)));
    desk.end("sess_42");
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(SONNET));
    assert_eq!(swap(&mut desk, None), "Model cleared. The policy decides again.");
}

/// A model set during a turn applies to the next turn, also if the turn was cancelled.
#[test]
fn a_cancelled_turn_lets_the_queued_swap_through() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read it");
    swap(&mut desk, Some("opus"));
    desk.end_as("sess_42", TurnStatus::Cancelled);
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(OPUS));
}

/// A model set after a turn replaces a model that was set during the turn.
#[test]
fn a_choice_after_the_turn_supersedes_the_one_queued_during_it() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read it");
    swap(&mut desk, Some("opus"));
    desk.end("sess_42");
    swap(&mut desk, Some("haiku"));
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(HAIKU));
    swap(&mut desk, None);
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(SONNET));
}

/// A model set for a session does not apply to other sessions.
#[test]
fn a_swap_concerns_its_own_session_only() {
    let mut desk = Desk::with(READS);
    swap(&mut desk, Some("opus"));
    assert_eq!(desk.turn("another", "Read it").as_deref(), Some(SONNET));
    assert_eq!(desk.turn("sess_42", "Read it").as_deref(), Some(OPUS));
}

/// The lock of a running turn and a pending model survive a restart.
#[test]
fn a_queued_swap_survives_a_restart_in_the_middle_of_the_turn() {
    let mut desk = Desk::with(READS);
    desk.start("sess_42", "Read it");
    swap(&mut desk, Some("opus"));
    let mut desk = desk.restarted();
    assert_eq!(desk.locked_model("sess_42"), Some(&model_id(SONNET)));
    desk.end("sess_42");
    assert_eq!(desk.turn("sess_42", "Read it again").as_deref(), Some(OPUS));
}

/// The next message of a session cancels its running turn.
#[test]
fn the_next_message_of_a_session_cancels_the_turn_before_it() {
    let mut desk = Desk::with(READS);
    let first = desk.start("sess_42", "Read it").turn;
    let next = desk.start("sess_42", "Read something else").turn;
    assert_eq!(desk.running("sess_42"), Some(next));
    let [ended] = desk.all::<TurnEnded>().try_into().unwrap();
    assert_eq!((ended.turn, ended.status), (first, TurnStatus::Cancelled));
}

/// A message that is sent again after its turn has ended starts another turn, which is decided anew.
#[test]
fn a_message_that_is_sent_again_is_another_turn() {
    let mut desk = Desk::with(READS);
    let input = engine::TurnInput::new(session("sess_42"), "message-0", "Read it");
    let first = desk.arrive(input.clone()).unwrap().turn;
    desk.end("sess_42");
    desk.edit_policy("global_default: opus");
    let again = desk.arrive(input).unwrap();
    assert_ne!(again.turn, first);
    assert_eq!(again.model(), Some(&model_id(OPUS)));
}
