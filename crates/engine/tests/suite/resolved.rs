//! The parts of an input that the engine resolves for every front end: mention, requested model, signers, tier.

use std::collections::BTreeSet;

use contracts::{AuxiliaryCall, ClientRequest, ModelId, Requirement, ResponseSummary, Thread, events::TurnStarted};
use engine::{EngineError, TurnInput, TurnOutcome};

use crate::support::{
    Desk,
    desk::{client_request, session},
    models::{HAIKU, OPUS, SONNET, model_id},
};

/// A policy with a default model and a tier for auxiliary calls.
const POLICY: &str = "global_default: sonnet\ngateway: {auxiliary_calls: fast, client_model: default}\n";

/// Returns a turn of a request over a wire API.
fn input(message: &str, request: ClientRequest) -> TurnInput {
    TurnInput { request: Some(request), ..TurnInput::new(session("one"), message, message) }
}

/// Returns an auxiliary call for a title, which contains a copied message.
fn auxiliary(message: &str) -> TurnInput {
    let request = ClientRequest { auxiliary: Some(AuxiliaryCall::Title), ..client_request() };
    TurnInput { thread: Thread::Auxiliary(AuxiliaryCall::Title), ..input(message, request) }
}

/// Returns the text of the last captured turn, and the model of its mention.
fn captured(desk: &Desk, outcome: &TurnOutcome) -> (String, Option<ModelId>) {
    let started = desk.all::<TurnStarted>().pop().unwrap();
    assert_eq!(started.message_bytes, outcome.text().len() as u64);
    (outcome.text().to_owned(), started.override_model.map(|chosen| chosen.model))
}

/// The mention of the last message selects the model. The lengths of the mentions of all messages are returned; a word
/// after `@` that names no model has length 0.
#[test]
fn a_mention_is_resolved_and_its_bytes_are_reported_for_every_message() {
    let mut desk = Desk::with(POLICY);
    let earlier_messages = vec!["@haiku first".to_owned(), String::new(), "@nobody second".to_owned()];
    let outcome = desk.arrive(TurnInput { earlier_messages, ..input("@opus third", client_request()) }).unwrap();
    assert_eq!(outcome.mention_bytes, [7, 0, 0, 6]);
    assert_eq!(captured(&desk, &outcome), ("third".to_owned(), Some(model_id(OPUS))));
    assert_eq!(outcome.model(), Some(&model_id(OPUS)));
}

/// A word after `@` is text if it does not resemble a model, and an error if it resembles one.
#[test]
fn a_mention_is_text_unless_it_resembles_a_model() {
    let text =
        ["@src explain", "@Makefile explain", "@src/main.rs explain", "@agent-review look", "@README.md", "@\"a b\" x"];
    for message in text {
        let mut desk = Desk::with(POLICY);
        let outcome = desk.arrive(input(message, client_request())).unwrap();
        assert_eq!(captured(&desk, &outcome), (message.to_owned(), None));
        assert_eq!(outcome.mention_bytes, [0]);
    }
    for message in ["@opsu explain", "@anthropic:claude-opuss-5 explain", "@Haikuu explain"] {
        let mut desk = Desk::with(POLICY);
        let error = desk.arrive(input(message, client_request())).unwrap_err();
        assert!(matches!(error, EngineError::Override(_)), "{message}: {error}");
    }
}

/// The mention in a message that an auxiliary call repeats has no effect; the call is decided by its tier.
#[test]
fn an_auxiliary_call_goes_to_its_tier_whatever_the_copied_message_mentions() {
    for message in ["@opus plan it", "@nobody plan it"] {
        let mut desk = Desk::with(POLICY);
        let outcome = desk.arrive(auxiliary(message)).unwrap();
        assert_eq!(captured(&desk, &outcome).1, None);
        assert_eq!(outcome.model(), Some(&model_id(HAIKU)), "{message}");
    }
}

/// The requested model counts as the signer of earlier thinking, until the log has calls with thinking in the thread.
#[test]
fn the_requested_model_signs_until_the_log_knows_the_signers_of_the_thread() {
    let mut desk = Desk::with(POLICY);
    let signed = || ClientRequest {
        model: "opus".to_owned(),
        requires: [Requirement::EarlierThinking].into(),
        ..client_request()
    };
    let signers =
        |outcome: &TurnOutcome| -> Vec<ModelId> { outcome.request().unwrap().signed_by.iter().cloned().collect() };
    let first = desk.arrive(input("hello", signed())).unwrap();
    assert_eq!(first.request().unwrap().named, Some(model_id(OPUS)));
    assert_eq!(signers(&first), [model_id(OPUS)]);
    thinks(&mut desk, &first, SONNET);
    let second = desk.arrive(input("go on", signed())).unwrap();
    assert_eq!(signers(&second), [model_id(SONNET)]);
}

/// A model whose thinking is only in an auxiliary call is not a signer of the main conversation.
#[test]
fn thinking_of_an_auxiliary_call_does_not_sign_the_main_conversation() {
    let mut desk = Desk::with(POLICY);
    let title = desk.arrive(auxiliary("name it")).unwrap();
    thinks(&mut desk, &title, HAIKU);
    let signed = ClientRequest { requires: [Requirement::EarlierThinking].into(), ..client_request() };
    let main = desk.arrive(input("hello", ClientRequest { model: "sonnet".to_owned(), ..signed })).unwrap();
    assert_eq!(main.request().unwrap().signed_by, [model_id(SONNET)].into());
    assert_eq!(main.model(), Some(&model_id(SONNET)));
}

/// Records a response with one block of thinking.
fn thinks(desk: &mut Desk, outcome: &TurnOutcome, model: &str) {
    let call = desk.engine.record_call(outcome, &model_id(model), &BTreeSet::new()).unwrap();
    let answer = ResponseSummary {
        stop_reason: contracts::events::StopReason::EndTurn,
        thinking_blocks: 1,
        ..ResponseSummary::default()
    };
    desk.engine.record_response(&call, &answer, None, desk.now).unwrap();
    desk.engine.commit().unwrap();
}
