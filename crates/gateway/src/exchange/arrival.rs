//! What a request is to the engine: whose turn it starts or goes on with, and which model takes it.

use contracts::{ClientRequest, Decision, Delegation, Failure, ModelId, TurnId};
use engine::{Arrival, Arrived, Engine, EngineError, Sent, ToolAnswer};
use event_bus::{BusError, DurabilityHandle};
use hyper::{Response, header::HeaderValue};
use router_core::{AuxiliaryCalls, Banner, OverrideError, address, select_api};
use wire::{Inspected, Lineage};

use super::{
    Incoming,
    asked::{arrival, lineage, start_of, tool_answers},
    decided::{Context, Decided, seal},
    refusal,
};
use crate::{body::Answer, call::RunningCall, gateway::Gateway};

/// A request that the engine took.
pub(super) struct Taken {
    pub(super) decided: Decided,
    pub(super) call: RunningCall,
    pub(super) durable: DurabilityHandle,
    pub(super) lineage: Lineage,
}

/// What the engine made of a request.
enum Outcome {
    Decided(Box<(Decided, RunningCall)>),
    /// No model can take it.
    Nobody {
        turn: TurnId,
        banners: Vec<Banner>,
        temporary: bool,
    },
    /// The message is addressed to no model.
    Address(OverrideError),
    Failed(EngineError),
}

/// Gives a request to the engine.
pub(super) async fn take(
    gateway: &Gateway,
    incoming: &Incoming,
    inspected: &Inspected<'_>,
) -> Result<Result<Taken, Response<Answer>>, BusError> {
    let lineage = lineage(incoming, inspected);
    let (arrival, request) = arrival(gateway, incoming, inspected, &lineage);
    let tool_answers = tool_answers(inspected);
    let context = Context::of(inspected, &lineage, &request);
    let messages: Vec<String> = inspected.user_messages.iter().map(|message| start_of(&message.text)).collect();
    let (bus, clock) = (gateway.bus().clone(), gateway.clock());
    let taken = gateway.bus().command(move |engine| {
        // A client that leaves before it hears of its call drops it, and so it is recorded as cancelled.
        decide(engine, arrival, &tool_answers, context, &messages, |sent| RunningCall::new(bus, sent, clock))
    });
    let (outcome, durable) = taken.await?;
    let refuse = |status, kind, message: &str| Ok(Err(refusal::refused(incoming.api, status, kind, message)));
    match outcome {
        Outcome::Decided(taken) => {
            let (decided, call) = *taken;
            Ok(Ok(Taken { decided, call, durable, lineage }))
        }
        Outcome::Nobody { turn, banners, temporary } => {
            durable.wait().await?;
            let text: Vec<_> = banners.iter().map(ToString::to_string).collect();
            let message = format!("turnwise: {}\n  GET /turns/{turn} says why.", text.join("\n"));
            let (status, kind) = if temporary { (503, "overloaded_error") } else { (400, "invalid_request_error") };
            let mut response = refusal::refused(incoming.api, status, kind, &message);
            if let Ok(value) = HeaderValue::from_str(&turn.to_string()) {
                response.headers_mut().insert("x-turnwise-turn", value);
            }
            Ok(Err(response))
        }
        Outcome::Address(error) => refuse(400, "invalid_request_error", &format!("turnwise: {error}")),
        Outcome::Failed(error) => {
            tracing::error!(%error, "a request could not be decided");
            refuse(500, "api_error", "turnwise: the request could not be decided; the gateway's own output says why")
        }
    }
}

fn decide(
    engine: &mut Engine,
    mut arrival: Arrival,
    tool_answers: &[ToolAnswer],
    context: Context,
    messages: &[String],
    running: impl FnOnce(Sent) -> RunningCall,
) -> Outcome {
    let registry = std::sync::Arc::clone(&engine.models().registry);
    let addresses: Vec<usize> = messages.iter().map(|text| addressed(text, &registry)).collect();
    if address(&arrival.new.message, &registry).is_err() && is_a_mention(&arrival.new.message) {
        // What the client means by `@` is no model: the text stays as it is.
        arrival.new.message.insert(0, '\\');
    }
    let request = arrival.new.request.as_mut();
    if let Some(request) = request {
        request.named = registry.named(&request.model).map(|model| model.id.clone());
        request.signed_by = engine.signed_by(&arrival.new.session, arrival.new.thread.as_ref(), request);
        if request.side.is_some()
            && let AuxiliaryCalls::Tier(tier) = engine.policy().policy.gateway().auxiliary_calls
        {
            arrival.new.delegation = Some(Delegation { tier });
        }
    }
    let session = arrival.new.session.clone();
    let arrived = match engine.arrive(&arrival) {
        Ok(arrived) => arrived,
        Err(EngineError::Override(error)) => return Outcome::Address(error),
        Err(error) => return Outcome::Failed(error),
    };
    let Some(request) = arrival.new.request else { return Outcome::Failed(EngineError::NothingDecided) };
    let (turn, model, because) = match arrived {
        Arrived::Continues { turn, model } => (turn, model, ("TURN_LOCK", Some("the turn goes on".to_owned()))),
        Arrived::Started(started) => {
            let decision = &started.made.decided.decision;
            let Some(model) = decision.model.clone() else {
                let temporary = is_temporary(engine, decision, &request);
                return Outcome::Nobody { turn: started.made.turn, banners: started.made.banners.clone(), temporary };
            };
            let winner = decision.winner();
            (
                started.made.turn,
                model,
                (winner.map_or("", |entry| entry.slot.name()), winner.map(router_core::reason_text)),
            )
        }
    };
    if !tool_answers.is_empty()
        && let Err(error) = engine.tools_answered(&session, turn, tool_answers)
    {
        return Outcome::Failed(error);
    }
    match seal(engine, (turn, session), &model, request, context, because, addresses) {
        Ok((decided, sent)) => Outcome::Decided(Box::new((decided, running(sent)))),
        Err(error) => Outcome::Failed(error),
    }
}

/// How many bytes at the start of a message are an address, or the backslash that keeps it from being one.
fn addressed(text: &str, registry: &contracts::Registry) -> usize {
    if !text.starts_with(['@', '\\']) {
        return 0;
    }
    // Beyond its first words a message says nothing about whom it is for, so the end of the text may be missing here.
    address(text, registry).map_or(0, |addressed| text.len() - addressed.text.len())
}

/// What clients mean by `@` beside models: files, and agents of theirs.
fn is_a_mention(message: &str) -> bool {
    let word = message.split_whitespace().next().unwrap_or_default();
    word.contains(['/', '.', '"', '#', ':']) || word.starts_with("@agent-")
}

/// Whether a model that is out could take the request otherwise, so that asking again later may help.
fn is_temporary(engine: &Engine, decision: &Decision, request: &ClientRequest) -> bool {
    let may_drop = &engine.policy().policy.gateway().may_drop;
    let could = |model: &ModelId| {
        engine.models().registry.get(model).is_some_and(|model| select_api(model, request, may_drop).is_ok())
    };
    let candidates = decision.chain.iter().filter_map(|entry| entry.candidate.as_ref().zip(entry.failure.as_ref()));
    let attempts = decision.chain.iter().flat_map(|entry| &entry.attempts).map(|one| (&one.candidate, &one.failure));
    let mut out = candidates.chain(attempts).filter(|(_, failure)| matches!(failure, Failure::ProviderUnavailable(_)));
    out.any(|(model, _)| could(model))
}
