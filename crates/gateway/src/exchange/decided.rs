//! Who takes a request: as the chain decided, and again when a model failed before its answer began.

use std::collections::BTreeSet;

use catalogue::estimate::{PromptShape, estimates};
use contracts::{
    CacheLifetime, ClientRequest, FailedCandidate, ModelId, ModelSpec, Requirement, SessionId, ThreadId, TurnId,
    WireApi,
    events::{CallRole, TurnStatus},
};
use engine::{Call, CallFailure, Engine, EngineError, Sent};
use event_bus::{BusError, DurabilityHandle};
use hyper::{
    Response,
    header::{HeaderName, HeaderValue},
};
use router_core::select_api;
use wire::{Inspected, Lineage};

use super::asked::{shape, thread};
use crate::{body::Answer, call::RunningCall, gateway::Gateway};

const MODEL: HeaderName = HeaderName::from_static("x-turnwise-model");
const POLICY: HeaderName = HeaderName::from_static("x-turnwise-policy");
const REASON: HeaderName = HeaderName::from_static("x-turnwise-reason");
const TURN: HeaderName = HeaderName::from_static("x-turnwise-turn");
const FELL_THROUGH: HeaderName = HeaderName::from_static("x-turnwise-fallbacks");

/// Who takes a request, as decided.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) turn: TurnId,
    pub(crate) session: SessionId,
    /// The request, with all that the engine knows of it.
    pub(crate) request: ClientRequest,
    pub(crate) model: ModelSpec,
    /// The API in which the model is asked.
    pub(crate) api: WireApi,
    /// Which call of the turn this is, from 0.
    pub(crate) call: u64,
    /// The policy that decided, and its reason, as they stand in headers.
    pub(crate) policy: &'static str,
    pub(crate) reason: String,
    /// What may be dropped.
    pub(crate) may_drop: BTreeSet<Requirement>,
    /// For each of the user's messages, how many bytes of its text are an address.
    pub(crate) addresses: Vec<usize>,
}

impl Decided {
    /// Says in headers who answers, by which policy, in which turn.
    pub(crate) fn label(&self, response: &mut Response<Answer>, fallback: usize) {
        let headers = response.headers_mut();
        let mut put = |name, value| {
            if let Ok(value) = value {
                headers.insert(name, value);
            }
        };
        put(MODEL, HeaderValue::from_str(self.model.id.as_str()));
        put(POLICY, Ok(HeaderValue::from_static(self.policy)));
        put(REASON, HeaderValue::try_from(printable(&self.reason)));
        put(TURN, HeaderValue::try_from(self.turn.to_string()));
        if 0 < fallback {
            put(FELL_THROUGH, Ok(fallback.into()));
        }
    }
}

/// A reason on one line of plain characters, as headers need it.
fn printable(reason: &str) -> String {
    let mut printable = String::with_capacity(reason.len().min(200));
    for c in reason.chars() {
        match c {
            '→' => printable.push_str("->"),
            c => printable.push(if c.is_ascii_graphic() { c } else { ' ' }),
        }
    }
    printable.truncate(200);
    printable
}

/// What a call needs beside its model.
#[derive(Debug, Clone)]
pub(super) struct Context {
    thread: Option<ThreadId>,
    role: CallRole,
    prompt: PromptShape,
    cache_lifetime: Option<CacheLifetime>,
}

impl Context {
    pub(super) fn of(inspected: &Inspected<'_>, lineage: &Lineage, request: &ClientRequest) -> Self {
        let role = match (request.side, lineage.subagent) {
            (Some(_), _) => CallRole::Side,
            (None, true) => CallRole::Worker,
            (None, false) => CallRole::Planner,
        };
        Self { thread: thread(lineage), role, prompt: shape(inspected), cache_lifetime: None }
    }
}

/// Records that the call is sent, and puts together what is needed for it.
pub(super) fn seal(
    engine: &mut Engine,
    (turn, session): (TurnId, SessionId),
    model: &ModelId,
    request: ClientRequest,
    context: Context,
    (policy, reason): (&'static str, Option<String>),
    addresses: Vec<usize>,
) -> Result<(Decided, Sent), EngineError> {
    let unknown = || EngineError::UnknownModel { name: model.to_string(), hint: String::new() };
    let spec = engine.models().registry.get(model).ok_or_else(unknown)?.clone();
    let may_drop = engine.policy().policy.gateway().may_drop.clone();
    // The chain has made sure that there is one; a locked model is asked in its own API whatever came since.
    let api = select_api(&spec, &request, &may_drop).unwrap_or_else(|_| {
        if spec.apis.contains(&request.api) { request.api } else { spec.apis.first().copied().unwrap_or(request.api) }
    });
    let Context { thread, role, prompt, cache_lifetime } = context;
    let estimated_input = estimates(&prompt).of(spec.tokenizer);
    let call =
        Call { turn, session: session.clone(), thread, model: model.clone(), role, estimated_input, cache_lifetime };
    let sent = engine.call_sent(call)?;
    let reason = reason.unwrap_or_default();
    let call = sent.number;
    Ok((Decided { turn, session, request, model: spec, api, call, policy, reason, may_drop, addresses }, sent))
}

/// What is to be done about a call that brought no answer.
pub(super) struct Next {
    pub(super) call: RunningCall,
    pub(super) failure: CallFailure,
    /// The models that failed in this request, when another one may take the turn.
    pub(super) failed: Option<Vec<FailedCandidate>>,
}

/// Records that a call failed, and asks the chain again where another model may take the turn; none when nobody is left,
/// and the turn is over then. One job, so that nothing comes between, and a client that leaves leaves nothing open.
pub(super) async fn next(
    gateway: &Gateway,
    decided: &Decided,
    inspected: &Inspected<'_>,
    next: Next,
    lineage: &Lineage,
) -> Result<(Option<(Decided, RunningCall)>, DurabilityHandle), BusError> {
    let (session, turn, request) = (decided.session.clone(), decided.turn, decided.request.clone());
    let message = inspected.user_messages.last().map(|message| message.text.to_string()).unwrap_or_default();
    let addressed = decided.addresses.last().copied().unwrap_or_default();
    let message = message.get(addressed..).unwrap_or_default().to_owned();
    let (context, addresses) = (Context::of(inspected, lineage, &request), decided.addresses.clone());
    let (bus, clock) = (gateway.bus().clone(), gateway.clock());
    let step = move |engine: &mut Engine| {
        let Next { call, failure, failed } = next;
        if let Some(sent) = call.into_sent() {
            engine.call_failed(&sent, failure)?;
        }
        let Some(failed) = failed else { return Ok(None) };
        let step = engine.fall_back(&session, turn, &message, Some(request.clone()), failed)?;
        let Some(model) = step.decided.decision.model.clone() else { return Ok(None) };
        let winner = step.decided.decision.winner();
        let because = (winner.map_or("", |entry| entry.slot.name()), winner.map(router_core::reason_text));
        let request = step.decided.request.clone().unwrap_or(request);
        seal(engine, (turn, session), &model, request, context, because, addresses).map(Some)
    };
    let session = decided.session.clone();
    let asked = gateway.bus().command(move |engine| {
        let stepped = step(engine);
        if !matches!(stepped, Ok(Some(_))) {
            engine.end(&session, turn, TurnStatus::Failed)?;
        }
        Ok(stepped?.map(|(decided, sent)| (decided, RunningCall::new(bus, sent, clock))))
    });
    let (outcome, durable): (Result<_, EngineError>, _) = asked.await?;
    let next = outcome.unwrap_or_else(|error| {
        tracing::error!(%error, "the chain could not be asked again");
        None
    });
    Ok((next, durable))
}
