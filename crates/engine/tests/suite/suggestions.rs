//! Accepting and dismissing a suggestion of the pattern store that a rule outranked (004 §5.6).

use contracts::{
    Score, Slot, TurnId,
    events::{ErrorClass, PatternOverrideDismissed, RouteOverridden, StopReason},
};
use engine::EngineError;
use test_events::turn_scored;

use crate::support::{
    Desk,
    desk::session,
    models::{HAIKU, OPUS, SONNET, model_id},
};

/// A policy with a rule for commits that outranks recommendations and shows disagreements.
const POLICY: &str = r#"
rules:
  - name: "fast for commits"
    when: {message_matches: "^/commit"}
    use: haiku
pattern: {estimator: paper, min_sample_size: 2}
pattern_disagreement: {surface: true, min_confidence: 0.5, min_sample_size: 5}
global_default: haiku
"#;

/// Returns an engine on which two models ran turns similar to the next one: Sonnet with good and Opus with bad
/// verdicts.
fn desk_that_has_learned() -> Desk {
    let mut desk = Desk::with(POLICY);
    for number in 0..12 {
        let (model, score) = if number % 2 == 0 { (SONNET, 950_000_000) } else { (OPUS, 200_000_000) };
        let name = format!("past-{number}");
        let turn = desk.start(&name, "/commit it").turn;
        desk.answer_as(
            &name,
            model,
            None,
            contracts::Usage { input: 1_000, ..Default::default() },
            StopReason::EndTurn,
        );
        desk.end(&name);
        desk.record(turn, &turn_scored(turn, session(&name), Score(score)));
    }
    desk
}

/// The notice about a suggestion contains the commands that accept and dismiss it.
#[test]
fn a_surfaced_suggestion_says_how_to_take_it_and_how_to_dismiss_it() {
    let mut desk = desk_that_has_learned();
    let made = desk.start("one", "/commit fix the auth bug");
    assert_eq!(made.model(), Some(&model_id(HAIKU)));
    let shown: Vec<_> = made.banners.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(format!("{}\n{}", shown.join("\n"), router_core::why(None, made.decision().unwrap())));
}

/// Accepting a suggestion records which model it replaces, and locks the running turn to the suggested model.
#[test]
fn taking_the_suggestion_moves_the_turn_and_is_told_with_what_it_replaced() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    let event = desk.engine.accept_suggestion(turn).unwrap();
    assert_eq!(desk.all::<RouteOverridden>(), std::slice::from_ref(&event));
    assert_eq!((event.turn, event.session.as_str()), (turn, "one"));
    assert_eq!((event.original.as_str(), event.model.as_str()), (HAIKU, SONNET));
    assert_eq!((event.deferred, event.rule.as_deref()), (Slot::PatternRecommendation, Some("fast for commits")));
    assert!(Score(500_000_000) < event.confidence);
    assert_eq!(desk.locked_model("one"), Some(&model_id(SONNET)));
    let told = desk.events().pop().unwrap();
    assert_eq!((told.event.correlation, told.event.causation), (turn.0, Some(turn.0.then("route.decided", 0))));
}

/// Dismissing a suggestion is recorded, and the running turn keeps its model.
#[test]
fn dismissing_the_suggestion_leaves_the_turn_where_it_is() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    let event = desk.engine.dismiss_suggestion(turn).unwrap();
    assert_eq!(desk.all::<PatternOverrideDismissed>(), std::slice::from_ref(&event));
    assert_eq!((event.model.as_str(), event.dismissed.as_str()), (HAIKU, SONNET));
    assert_eq!(event.rule.as_deref(), Some("fast for commits"));
    assert_eq!(desk.locked_model("one"), Some(&model_id(HAIKU)));
}

/// Accepting a suggestion twice records one event.
#[test]
fn saying_it_twice_is_saying_it_once() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    let first = desk.engine.accept_suggestion(turn).unwrap();
    assert_eq!(desk.engine.accept_suggestion(turn).unwrap(), first);
    assert_eq!(desk.all::<RouteOverridden>().len(), 1);
}

/// Accepting or dismissing is an error if the turn has no suggestion or is unknown, and records nothing.
#[test]
fn without_a_suggestion_there_is_nothing_to_take() {
    let mut desk = Desk::with(POLICY);
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    let head = desk.head();
    let error = desk.engine.accept_suggestion(turn).unwrap_err();
    assert!(matches!(error, EngineError::NoSuggestion(_)), "{error}");
    let text = error.to_string().replace(&turn.to_string(), "<turn>");
    insta::assert_snapshot!(text);
    assert!(matches!(desk.engine.dismiss_suggestion(turn), Err(EngineError::NoSuggestion(_))));
    assert!(matches!(desk.engine.accept_suggestion(TurnId::default()), Err(EngineError::UnknownTurn(_))));
    assert_eq!(desk.head(), head);
}

/// After the end of a turn its suggestion can be neither accepted nor dismissed, so its verdict does not move, and the
/// error names what the user can do.
#[test]
fn a_suggestion_for_a_turn_that_has_ended_is_refused_with_the_next_step() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    desk.end("one");
    let head = desk.head();
    let error = desk.engine.accept_suggestion(turn).unwrap_err();
    assert!(matches!(error, EngineError::TurnEnded(_)), "{error}");
    assert!(matches!(desk.engine.dismiss_suggestion(turn), Err(EngineError::TurnEnded(_))));
    assert_eq!(desk.head(), head);
    insta::assert_snapshot!(error.to_string().replace(&turn.to_string(), "<turn>"));
}

/// The second of two opposite choices about a suggestion is refused.
#[test]
fn an_accepted_suggestion_cannot_be_dismissed_and_a_dismissed_one_cannot_be_accepted() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    desk.engine.accept_suggestion(turn).unwrap();
    let error = desk.engine.dismiss_suggestion(turn).unwrap_err().to_string();
    assert_eq!(error, format!("the suggestion for turn `{turn}` was already accepted"));
    let turn = desk.start("two", "/commit fix the auth bug").turn;
    desk.engine.dismiss_suggestion(turn).unwrap();
    let error = desk.engine.accept_suggestion(turn).unwrap_err().to_string();
    assert_eq!(error, format!("the suggestion for turn `{turn}` was already dismissed"));
    assert_eq!((desk.all::<RouteOverridden>().len(), desk.all::<PatternOverrideDismissed>().len()), (1, 1));
}

/// The explanation of a recorded decision has the notice about the suggestion, with the commands while the turn runs.
#[test]
fn the_explanation_of_a_recorded_turn_has_the_suggestion() {
    let mut desk = desk_that_has_learned();
    let turn = desk.start("one", "/commit fix the auth bug").turn;
    let explained = |desk: &Desk| {
        let recorded = engine::find_decision(desk.engine.log().as_ref(), &turn.to_string()).unwrap();
        recorded.text(desk.engine.texts().as_ref())
    };
    let running = explained(&desk);
    assert!(running.contains("! Routing to anthropic:claude-haiku-4-5 per rule \"fast for commits\"\n"), "{running}");
    assert!(running.contains("    Pattern store suggests anthropic:claude-sonnet-4-6 (confidence 0.80"), "{running}");
    assert!(running.contains("    turnwise route override"), "{running}");
    desk.end("one");
    let ended = explained(&desk);
    assert!(ended.contains("Pattern store suggests") && !ended.contains("turnwise route override"), "{ended}");
}

/// A preview names no command: the turn is not recorded, so the command would apply to another one.
#[test]
fn the_preview_of_a_suggestion_names_no_command() {
    let desk = desk_that_has_learned();
    let input = engine::TurnInput::new(session("one"), "preview", "/commit fix the auth bug");
    let banner = desk.engine.preview(input).unwrap().banners[0].to_string();
    assert!(banner.contains("Pattern store suggests") && !banner.contains("turnwise route"), "{banner}");
}

/// A suggested model that is unavailable is in the chain with its failure, but cannot be accepted.
#[test]
fn a_suggested_model_that_is_out_cannot_be_taken() {
    let mut desk = desk_that_has_learned();
    desk.start("another", "hello");
    for _ in 0..5 {
        desk.fail("another", SONNET, ErrorClass::Overloaded);
    }
    let made = desk.start("one", "/commit fix the auth bug");
    let listed = made.decision().unwrap().entry(Slot::PatternRecommendation).unwrap();
    assert_eq!(listed.candidate, Some(model_id(SONNET)), "it is listed, with why not");
    assert!(listed.failure.is_some());
    assert!(matches!(desk.engine.accept_suggestion(made.turn), Err(EngineError::NoSuggestion(_))));
}

/// A recommendation that decided the turn cannot be accepted as a suggestion.
#[test]
fn a_suggestion_that_won_is_nothing_to_take() {
    let mut desk = desk_that_has_learned();
    let made = desk.start("one", "commit fix the auth bug");
    assert_eq!(made.decision().unwrap().winner().unwrap().slot, Slot::PatternRecommendation);
    assert!(matches!(desk.engine.accept_suggestion(made.turn), Err(EngineError::NoSuggestion(_))));
}

/// Clearing the patterns of everything and those of turns without a workspace are different events, also at one position.
#[test]
fn clearing_everything_and_clearing_no_workspace_have_different_ids() {
    let cleared = |all: bool| {
        let mut desk = Desk::with(POLICY);
        desk.engine.clear_patterns(all, None).unwrap();
        desk.events().pop().unwrap().event
    };
    let (everything, no_workspace) = (cleared(true), cleared(false));
    assert_ne!(everything.id, no_workspace.id);
    assert_ne!(everything.correlation, no_workspace.correlation);
}
