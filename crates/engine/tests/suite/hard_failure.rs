//! Turns for which no model is available: their events and their messages (004 §4.7, decision D4).

use contracts::{
    Slot, Verdict,
    events::{ErrorClass, RouteDecided, TurnEnded, TurnStatus, TurnTextRecorded},
};
use event_core::Position;

use crate::support::{
    Desk,
    desk::session,
    models::{HAIKU, OPUS},
};

/// Returns an engine whose policy names models of one provider only, which has rejected the key.
fn desk_without_a_model() -> Desk {
    let policy = "rules: [{name: deep, when: {}, use: opus}]\nglobal_default: haiku\nprivacy: {record_text: never}\n";
    let mut desk = Desk::with(policy);
    desk.start("one", "hello");
    desk.fail("one", OPUS, ErrorClass::Auth);
    desk.end_as("one", TurnStatus::Failed);
    desk
}

/// A refused turn is recorded as started, decided with its skills and without a model, and ended as refused.
#[test]
fn a_refused_turn_is_started_decided_and_ended_and_nothing_else() {
    let mut desk = desk_without_a_model();
    let before = desk.head();
    let made = desk.start("one", "hello again");
    assert_eq!(desk.kinds_after(before), ["turn.started", "skill.routed", "route.decided", "turn.ended"]);

    let decided = desk.all::<RouteDecided>().pop().unwrap();
    assert_eq!(made.route, engine::Route::Decided(Box::new(decided.clone())));
    assert_eq!(decided.decision.chosen, None);
    assert!(decided.decision.winner().is_none());
    let verdict = |slot| decided.decision.entry(slot).unwrap().verdict;
    assert_eq!(verdict(Slot::ConfiguredRules), Verdict::Rejected);
    assert_eq!(verdict(Slot::GlobalDefault), Verdict::Rejected);
    let ended = desk.all::<TurnEnded>().pop().unwrap();
    assert_eq!((ended.turn, ended.status), (made.turn, TurnStatus::Refused));
    assert_eq!((ended.llm_calls, ended.tool_calls), (0, 0));
}

/// A refused turn is not open, and after the outage the next turn is decided.
#[test]
fn a_refused_turn_is_over_and_the_next_one_may_start() {
    let mut desk = desk_without_a_model();
    desk.start("one", "hello again");
    assert_eq!(desk.running("one"), None);
    assert_eq!(desk.locked_model("one"), None);
    desk.pass_secs(301);
    assert_eq!(desk.turn("one", "hello once more").as_deref(), Some(OPUS), "the outage has cleared by itself");
}

/// The notices about a refused turn, as the user sees them.
#[test]
fn the_user_is_told_what_was_tried_and_what_is_left() {
    let mut desk = desk_without_a_model();
    let banners = desk.start("one", "hello again").banners;
    let shown: Vec<_> = banners.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

/// A model set for the session stays set across a refused turn.
#[test]
fn a_refused_turn_lets_the_queued_swap_through() {
    let mut desk = desk_without_a_model();
    let haiku = desk.engine.model_named("haiku").unwrap();
    desk.engine.select_model(&session("one"), Some(haiku)).unwrap();
    assert_eq!(desk.turn("one", "hello again"), None);
    desk.pass_secs(301);
    assert_eq!(desk.turn("one", "hello once more").as_deref(), Some(HAIKU));
}

/// A mention that resembles a model but names none, or without a message after it, is an error and records nothing.
#[test]
fn a_message_addressed_to_nobody_leaves_no_trace() {
    let mut desk = Desk::with("global_default: haiku");
    desk.turn("one", "hello");
    let before = desk.head();
    for (number, message) in ["@hiaku hello", "@haiku", "@haiku \n "].into_iter().enumerate() {
        let new = engine::TurnInput::new(session(&format!("fresh-{number}")), "message", message);
        let error = desk.arrive(new).unwrap_err();
        assert!(matches!(error, engine::EngineError::Override(_)), "{error}");
    }
    desk.engine.commit().unwrap();
    assert_eq!(desk.kinds_after(before), [""; 0]);
}

/// The text of a message is recorded, but not with `privacy.record_text: never`.
#[test]
fn text_is_recorded_unless_the_policy_says_never() {
    let mut desk = Desk::with("global_default: haiku");
    desk.turn("one", "hello");
    assert_eq!(desk.all::<TurnTextRecorded>().len(), 1);
    assert_eq!(desk_without_a_model().all::<TurnTextRecorded>().len(), 0);
}

/// A preview records nothing and returns the decision that the turn then has.
#[test]
fn a_preview_records_nothing_and_says_what_would_happen() {
    let mut desk =
        Desk::with("rules: [{name: commits, when: {message_matches: ^/commit}, use: haiku}]\nglobal_default: opus");
    let new = engine::TurnInput::new(session("one"), "message", "/commit it");
    let seen = desk.engine.preview(new.clone()).unwrap();
    desk.engine.commit().unwrap();
    assert_eq!(desk.head(), Position::ORIGIN);
    let made = desk.arrive(new).unwrap();
    assert_eq!(seen.decision().unwrap(), made.decision().unwrap());
}
