//! Outages: failed calls, recorded transitions, and their effect on the next turn (004 §4.5).

use std::collections::BTreeSet;

use contracts::{
    OutageScope, ResponseSummary,
    events::{ErrorClass, OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy, StopReason},
};
use engine::{Call, CallFailure, TurnOutcome};

use crate::support::{
    Desk,
    desk::START,
    models::{GPT, HAIKU, OPUS, SONNET, model_id},
    story::story,
};

/// A policy with a rule for each of two models of one provider, and a default of another provider.
const POLICY: &str = r#"
rules:
  - name: "deep for architecture"
    when: {message_matches: "architecture"}
    use: opus
  - name: "quick answers"
    when: {message_matches: "quick"}
    use: sonnet
global_default: gpt
"#;

/// Records consecutive failures of one model, a second apart.
fn strikes(desk: &mut Desk, model: &str, count: usize) {
    for _ in 0..count {
        desk.pass_secs(1);
        desk.fail("one", model, ErrorClass::Overloaded);
    }
}

/// Returns the notices for the user as text.
fn banners(made: &engine::TurnOutcome) -> Vec<String> {
    made.banners.iter().map(ToString::to_string).collect()
}

/// A rejected key makes all models of the provider unavailable for five minutes; the next turn is decided for another
/// provider.
#[test]
fn one_refused_key_takes_the_whole_provider_out_for_the_next_turn() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    desk.fail("one", OPUS, ErrorClass::Auth);
    desk.end("one");
    let made = desk.start("one", "a quick question");
    assert_eq!(made.model(), Some(&model_id(GPT)));
    insta::assert_snapshot!(banners(&made).join("\n"));

    let out = desk.all::<ProviderUnavailable>();
    assert_eq!(out.len(), 1);
    assert_eq!(out[0].scope, OutageScope::ProviderWide("anthropic".try_into().unwrap()));
    assert_eq!((out[0].trigger, out[0].clears_at), (OutageTrigger::AuthError, START.plus_secs(300)));
}

/// The end of an outage is due after five minutes, is recorded without a request, and is then no longer due.
#[test]
fn the_end_of_an_outage_is_due_without_another_request() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    desk.fail("one", OPUS, ErrorClass::Auth);
    desk.pass_secs(299);
    assert!(!desk.engine.has_due_transitions());
    desk.pass_secs(1);
    assert!(desk.engine.has_due_transitions());
    desk.engine.record_consequences().unwrap();
    desk.engine.commit().unwrap();
    assert_eq!(desk.all::<ProviderRecovered>()[0].by, RecoveredBy::AutoClear);
    assert!(!desk.engine.has_due_transitions());
}

/// Five failures make one model unavailable; other models of its provider stay available.
#[test]
fn one_model_out_falls_through_and_its_siblings_stay() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    strikes(&mut desk, OPUS, 5);
    desk.end("one");
    let made = desk.start("one", "more of the architecture");
    assert_eq!(made.model(), Some(&model_id(GPT)));
    insta::assert_snapshot!(banners(&made).join("\n"));
    desk.end("one");
    assert_eq!(desk.turn("one", "a quick question").as_deref(), Some(SONNET));
}

/// Three unavailable models make their provider unavailable.
#[test]
fn three_models_out_take_their_provider_out() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    for model in [OPUS, SONNET] {
        strikes(&mut desk, model, 5);
    }
    strikes(&mut desk, HAIKU, 4);
    assert_eq!(desk.all::<ProviderUnavailable>().len(), 2, "two models are not the provider");
    strikes(&mut desk, HAIKU, 1);
    let out = desk.all::<ProviderUnavailable>();
    let (last, models) = out.split_last().unwrap();
    assert_eq!(models.len(), 3);
    assert_eq!(last.trigger, OutageTrigger::MultiModelFailures);
    assert_eq!(last.models.len(), 3);
    desk.end("one");
    assert_eq!(desk.turn("one", "a quick question").as_deref(), Some(GPT));
}

/// The events of an outage: failures, its start, a recovery by a successful call, and another outage.
#[test]
fn example_an_outage_from_its_announcement_to_its_recovery() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    strikes(&mut desk, OPUS, 7);
    desk.end("one");
    desk.pass_secs(10);
    desk.start("one", "more of the architecture");
    desk.pass_secs(2);
    desk.answer("one", StopReason::EndTurn);
    desk.end("one");
    desk.pass_secs(600);
    desk.start("one", "the rest of the architecture");
    desk.pass_secs(1);
    strikes(&mut desk, OPUS, 5);
    desk.pass_secs(3);
    desk.answer("one", StopReason::EndTurn);
    desk.end("one");
    insta::assert_snapshot!(story(&desk.events(), START));
}

/// A successful call ends the outage of its model at once.
#[test]
fn a_success_brings_a_model_back_at_once() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    strikes(&mut desk, OPUS, 5);
    desk.pass_secs(3);
    desk.answer("one", StopReason::EndTurn);
    desk.end("one");
    assert_eq!(desk.turn("one", "more of the architecture").as_deref(), Some(OPUS));
    let back = desk.all::<ProviderRecovered>();
    assert_eq!(back.len(), 1);
    assert_eq!((back[0].by, back[0].down_seconds), (RecoveredBy::Success, 3));
}

/// Without calls, an outage ends after five minutes, not earlier.
#[test]
fn quiet_brings_a_model_back_after_five_minutes() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    strikes(&mut desk, OPUS, 5);
    desk.end("one");
    desk.pass_secs(299);
    assert_eq!(desk.turn("one", "more of the architecture").as_deref(), Some(GPT));
    assert_eq!(desk.all::<ProviderRecovered>().len(), 0);
    desk.pass_secs(1);
    assert_eq!(desk.turn("one", "more of the architecture").as_deref(), Some(OPUS));
    let back = desk.all::<ProviderRecovered>();
    assert_eq!(back.len(), 1);
    assert_eq!((back[0].by, back[0].down_seconds), (RecoveredBy::AutoClear, 300));
}

/// The start and the end of an outage are recorded once, also across restarts.
#[test]
fn every_transition_is_told_once_however_often_the_engine_restarts() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    strikes(&mut desk, OPUS, 5);
    for _ in 0..3 {
        desk = desk.restarted();
        desk.engine.record_consequences().unwrap();
        desk.engine.commit().unwrap();
    }
    assert_eq!(desk.all::<ProviderUnavailable>().len(), 1);
    desk.end("one");
    desk.pass_secs(400);
    for number in 0..3 {
        desk = desk.restarted();
        desk.turn(&format!("again-{number}"), "the architecture");
    }
    assert_eq!(desk.all::<ProviderUnavailable>().len(), 1);
    assert_eq!(desk.all::<ProviderRecovered>().len(), 1);
}

/// Errors that do not depend on the provider, such as an invalid request, cause no outage.
#[test]
fn what_says_nothing_about_the_provider_takes_nothing_out() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    for class in
        [ErrorClass::Cancelled, ErrorClass::InvalidRequest, ErrorClass::ContextOverflow, ErrorClass::ContentFilter]
    {
        for _ in 0..6 {
            desk.fail("one", OPUS, class);
        }
    }
    desk.end("one");
    assert_eq!(desk.turn("one", "more of the architecture").as_deref(), Some(OPUS));
    assert_eq!(desk.all::<ProviderUnavailable>().len(), 0);
}

/// An outage that one session causes applies to all sessions; a running turn keeps its model.
#[test]
fn a_session_sees_the_outages_that_another_one_met() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    desk.fail("one", OPUS, ErrorClass::Auth);
    assert_eq!(desk.turn("two", "the architecture").as_deref(), Some(GPT));
    assert_eq!(desk.locked_model("one"), Some(&model_id(OPUS)), "the running turn keeps its model");
}

/// Records a call of the turn to its model.
fn send(desk: &mut Desk, started: &TurnOutcome) -> Call {
    desk.engine.record_call(started, started.model().unwrap(), &BTreeSet::new()).unwrap()
}

/// Returns a response without tool calls.
fn answered() -> ResponseSummary {
    ResponseSummary { stop_reason: StopReason::EndTurn, ..ResponseSummary::default() }
}

/// When an outage has ended by itself, the first call is a probe: other turns avoid the provider until it has
/// responded, and one failure starts the outage again.
#[test]
fn after_a_quiet_end_one_turn_finds_out_and_the_others_go_elsewhere_until_it_has() {
    let mut desk = Desk::with(POLICY);
    desk.start("one", "the architecture");
    desk.fail("one", OPUS, ErrorClass::Auth);
    desk.end("one");
    desk.pass_secs(400);

    let started = desk.start("two", "a quick question");
    let probe = send(&mut desk, &started);
    desk.pass_secs(1);
    assert_eq!(desk.turn("three", "a quick question").as_deref(), Some(GPT), "another one tries the provider");
    let class = ErrorClass::ServerError;
    let failure = CallFailure { class, status: Some(500), retries: 0, usage: None, raw_usage: None, key: None };
    desk.engine.record_call_failure(&probe, &failure).unwrap();
    desk.pass_secs(200);
    assert_eq!(desk.turn("three", "a quick question").as_deref(), Some(GPT), "one failure puts it out again");

    desk.pass_secs(200);
    let started = desk.start("four", "a quick question");
    let probe = send(&mut desk, &started);
    assert_eq!(desk.turn("three", "a quick question").as_deref(), Some(GPT));
    let answer = answered();
    desk.engine.record_response(&probe, &answer, None, desk.now).unwrap();
    assert_eq!(desk.turn("three", "a quick question").as_deref(), Some(SONNET));

    desk.engine.commit().unwrap();
    let triggers: Vec<_> = desk.all::<ProviderUnavailable>().iter().map(|event| event.trigger).collect();
    assert_eq!(triggers, [OutageTrigger::AuthError, OutageTrigger::ProbeFailed]);
    assert_eq!(desk.all::<ProviderRecovered>().len(), 2);
}
