//! Passes a request to the engine and records the first call of its turn.

use std::sync::Arc;

use contracts::{Decision, Failure, ModelId, TurnId};
use engine::{Call, Engine, EngineError, TurnInput, TurnOutcome};
use event_bus::{BusError, DurabilityHandle};
use hyper::{Response, header::HeaderValue};
use router_core::{Banner, OverrideError, select_api};
use wire::RequestSummary;

use super::{
    Incoming,
    input::{lineage, turn_input},
    refusal,
    target::Target,
};
use crate::{
    body::ResponseBody,
    call::RunningCall,
    gateway::Gateway,
    matching::prepare_message,
    request_span::{record_session, record_turn},
    skill_question,
    skills::prepare_skills,
    unavailable::full_disk_message,
};

/// The reason why a request of a client was refused before any model was called.
enum Refusal {
    /// The chain selected no model.
    NoModel {
        /// The refused turn.
        turn: TurnId,
        /// The banners of the decision, for the user.
        banners: Vec<Banner>,
        /// Whether the same request may succeed later.
        temporary: bool,
    },
    /// The `@` mention names no model.
    Mention(OverrideError),
    /// The engine failed, for example because the log cannot be written.
    Failed(EngineError),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Override(error) => Self::Mention(error),
            error => Self::Failed(error),
        }
    }
}

/// Passes a client's request to the engine, which decides its model and records its turn and call. Returns the target
/// of the call and a handle that resolves once both are durable. If the request is refused, returns the response for
/// the client instead.
pub(super) async fn begin_turn(
    gateway: &Arc<Gateway>,
    incoming: &Incoming,
    inspected: &RequestSummary<'_>,
) -> Result<Result<(Target, RunningCall, DurabilityHandle), Response<ResponseBody>>, BusError> {
    let mut input = turn_input(gateway, incoming, inspected, &lineage(incoming, inspected));
    record_session(&input.session);
    prepare_message(gateway, &input.message).await?;
    input.prepared_skills = prepare_skills(gateway, &input, inspected).await;
    input.skill_model = skill_question::ask_before(gateway, &input).await?;
    let (bus, clock) = (gateway.bus().clone(), gateway.clock());
    let command = gateway.bus().command(move |engine| {
        let decided = decide_model(engine, input);
        // If the client has disconnected, the call is dropped here and recorded as cancelled.
        let decided = decided.map(|(target, call)| (target, RunningCall::new(bus, call, clock)));
        (decided, engine.take_skill_questions())
    });
    let ((decided, questions), durable) = command.await?;
    for question in questions {
        if decided.is_ok() {
            skill_question::spawn(gateway, question);
        } else {
            skill_question::skip(gateway, question, "the turn was refused");
        }
    }
    let refuse = |status, kind, message: &str| Ok(Err(refusal::error_response(incoming.api, status, kind, message)));
    match decided {
        Ok((target, call)) => {
            record_turn(target.outcome.turn);
            Ok(Ok((target, call, durable)))
        }
        Err(Refusal::NoModel { turn, banners, temporary }) => {
            record_turn(turn);
            durable.wait().await?;
            let text: Vec<_> = banners.iter().map(ToString::to_string).collect();
            let message = format!("turnwise: {}\n  GET /turns/{turn} says why.", text.join("\n"));
            let (status, kind) = if temporary { (503, refusal::FINAL_ERROR) } else { (400, "invalid_request_error") };
            let mut response = refusal::error_response(incoming.api, status, kind, &message);
            if let Ok(value) = HeaderValue::from_str(&turn.to_string()) {
                response.headers_mut().insert("x-turnwise-turn", value);
            }
            if temporary {
                refusal::forbid_client_retries(&mut response);
            }
            Ok(Err(response))
        }
        Err(Refusal::Mention(error)) => refuse(400, "invalid_request_error", &format!("turnwise: {error}")),
        Err(Refusal::Failed(error)) if error.is_out_of_room() => {
            let message = format!("turnwise: {}", full_disk_message(&error));
            let response = refusal::error_response(incoming.api, 503, "overloaded_error", &message);
            Ok(Err(refusal::with_full_disk_retry(response)))
        }
        Err(Refusal::Failed(error)) => {
            tracing::error!(%error, "a request could not be decided");
            refuse(500, "api_error", "turnwise: the request could not be decided; the gateway's own output says why")
        }
    }
}

/// Decides the model of a client's request, and records the call to that model as sent. Runs on the bus thread.
fn decide_model(engine: &mut Engine, input: TurnInput) -> Result<(Target, Call), Refusal> {
    let outcome = engine.arrive(input)?;
    if outcome.model().is_none() {
        let temporary = is_temporary(engine, &outcome);
        return Err(Refusal::NoModel { turn: outcome.turn, banners: outcome.banners, temporary });
    }
    Ok(Target::send(engine, outcome)?)
}

/// Returns whether the same request may succeed later, because a model that could serve it is only unavailable now.
fn is_temporary(engine: &Engine, outcome: &TurnOutcome) -> bool {
    let (Some(decision), Some(request)) = (outcome.decision(), outcome.request()) else { return false };
    let adaptable = &engine.policy().policy.gateway().adaptable;
    let accepts = |model: &ModelId| {
        engine.models().registry.get(model).is_some_and(|model| select_api(model, request, adaptable).is_ok())
    };
    unavailable(decision).any(accepts)
}

/// Returns the models that the decision rejected because they or their providers are unavailable.
fn unavailable(decision: &Decision) -> impl Iterator<Item = &ModelId> {
    let candidates = decision.chain.iter().filter_map(|entry| entry.candidate.as_ref().zip(entry.failure.as_ref()));
    let attempts =
        decision.chain.iter().flat_map(|entry| &entry.attempts).map(|attempt| (&attempt.candidate, &attempt.failure));
    let if_unavailable = |(model, failure)| matches!(failure, &Failure::ProviderUnavailable(_)).then_some(model);
    candidates.chain(attempts).filter_map(if_unavailable)
}
