//! The model that is called for a turn, and how it is called. It is resolved after each decision and fallback.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{FailedCandidate, ModelSpec, Requirement, WireApi, events::TurnStatus};
use engine::{Call, CallFailure, Engine, EngineError, TurnOutcome};
use event_bus::{BusError, DurabilityHandle};
use hyper::{
    Response,
    header::{HeaderName, HeaderValue},
};
use router_core::{adapted_features, notice_line, select_api};

use crate::{body::ResponseBody, call::RunningCall, gateway::Gateway, request_span::record_model};

/// Response header with the model that responded.
const MODEL: HeaderName = HeaderName::from_static("x-turnwise-model");
/// Response header with the slot of the decision chain that chose the model.
const POLICY: HeaderName = HeaderName::from_static("x-turnwise-policy");
/// Response header with the reason of the decision.
const REASON: HeaderName = HeaderName::from_static("x-turnwise-reason");
/// Response header with the id of the turn.
const TURN: HeaderName = HeaderName::from_static("x-turnwise-turn");
/// Response header with the number of fallbacks in the turn.
const FALLBACKS: HeaderName = HeaderName::from_static("x-turnwise-fallbacks");
/// Response header with the features of the request that were dropped or converted for the model.
const ADAPTED: HeaderName = HeaderName::from_static("x-turnwise-adapted");
/// Response header with the notices of the decision for the user.
const NOTICE: HeaderName = HeaderName::from_static("x-turnwise-notice");

/// The maximum length of the notices in a header, in bytes.
const MAX_NOTICE_BYTES: usize = 500;

/// The model that is called for a turn, with the API of the call and the decision that chose the model.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The decision, with the turn it belongs to.
    pub(crate) outcome: Arc<TurnOutcome>,
    /// The model that is called.
    pub(crate) model: ModelSpec,
    /// The API in which the model is called; converted to and from the client's if they differ.
    pub(crate) api: WireApi,
    /// The number of the call in its turn, from 0.
    pub(crate) call: u64,
    /// The requirements that the policy allows to drop or convert.
    pub(crate) adaptable: BTreeSet<Requirement>,
    /// The features of the request that are dropped or converted for this model.
    pub(crate) adapted: BTreeSet<Requirement>,
}

impl Target {
    /// Resolves the model and the API for the outcome of a decision, and records the model call as sent.
    ///
    /// # Errors
    /// [`EngineError`] if the outcome has no model or request, the registry does not know the model, or the log cannot
    /// be written.
    pub(super) fn send(engine: &mut Engine, outcome: TurnOutcome) -> Result<(Self, Call), EngineError> {
        let (Some(id), Some(request)) = (outcome.model(), outcome.request()) else {
            return Err(EngineError::NothingDecided);
        };
        let unknown = || EngineError::UnknownModel { name: id.to_string(), hint: String::new() };
        let model = engine.models().registry.get(id).ok_or_else(unknown)?.clone();
        let adaptable = engine.policy().policy.gateway().adaptable.clone();
        // The chain rejects models without a usable API. A locked model is called in its own, even if the request
        // changed since.
        let api = select_api(&model, request, &adaptable).unwrap_or_else(|_| {
            if model.apis.contains(&request.api) {
                request.api
            } else {
                model.apis.first().copied().unwrap_or(request.api)
            }
        });
        let adapted = adapted_features(&model, api, request, &adaptable);
        let call = engine.record_call(&outcome, id, &adapted)?;
        Ok((Self { outcome: Arc::new(outcome), model, api, call: call.number, adaptable, adapted }, call))
    }

    /// Adds response headers about the decision: the model, the slot that chose it, its reason, the turn, the number of
    /// fallbacks, the notices, and the features that were adapted. Also records the model in the tracing span of the
    /// request.
    pub(crate) fn label(&self, response: &mut Response<ResponseBody>, fallbacks: usize) {
        let headers = response.headers_mut();
        let mut put = |name, value| {
            if let Ok(value) = value {
                headers.insert(name, value);
            }
        };
        let (slot, reason) = self.outcome.reason();
        record_model(&self.model.id, slot, fallbacks);
        put(MODEL, HeaderValue::from_str(self.model.id.as_str()));
        put(POLICY, Ok(HeaderValue::from_static(slot)));
        put(REASON, HeaderValue::try_from(printable(&reason)));
        put(TURN, HeaderValue::try_from(self.outcome.turn.to_string()));
        if 0 < fallbacks {
            put(FALLBACKS, Ok(fallbacks.into()));
        }
        if let Some(line) = notice_line(&self.outcome.banners, MAX_NOTICE_BYTES) {
            put(NOTICE, HeaderValue::try_from(line));
        }
        if !self.adapted.is_empty() {
            let names: Vec<_> = self.adapted.iter().map(|feature| feature.name()).collect();
            put(ADAPTED, HeaderValue::try_from(names.join(", ")));
        }
    }
}

/// Converts the reason of a decision to the value of a header: printable ASCII, at most 200 bytes.
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

/// A model call that failed before the first byte of its response, with all models that failed in its request so far.
pub(super) struct FailedCall {
    /// The call that is recorded as sent.
    pub(super) call: RunningCall,
    /// The failure to record.
    pub(super) failure: CallFailure,
    /// The models that failed in this request so far; `None` if the failure or the elapsed time is no reason to try
    /// another one, which ends the turn.
    pub(super) failed_models: Option<Vec<FailedCandidate>>,
}

/// Records a failed model call and falls back to the next model, or ends the turn if there is none.
///
/// This is one command of the bus, so that no other command runs in between, and a client that disconnects leaves no
/// turn open.
pub(super) async fn fall_back(
    gateway: &Gateway,
    target: &Target,
    failed: FailedCall,
) -> Result<(Option<(Target, RunningCall)>, DurabilityHandle), BusError> {
    let outcome = Arc::clone(&target.outcome);
    let (bus, clock) = (gateway.bus().clone(), gateway.clock());
    let recorded = gateway.bus().command(move |engine| {
        let next = next_target(engine, &outcome, failed);
        if !matches!(next, Ok(Some(_))) {
            engine.end_turn(&outcome.input.session, outcome.turn, TurnStatus::Failed)?;
        }
        Ok(next?.map(|(target, call)| (target, RunningCall::new(bus, call, clock))))
    });
    let (next, durable): (Result<_, EngineError>, _) = recorded.await?;
    let next = next.unwrap_or_else(|error| {
        tracing::error!(%error, "the chain could not decide again");
        None
    });
    Ok((next, durable))
}

/// Records the failure of a model call and decides the turn again without the failed models. Returns the next model and
/// its call; `None` if no model is left.
fn next_target(
    engine: &mut Engine,
    outcome: &TurnOutcome,
    failed: FailedCall,
) -> Result<Option<(Target, Call)>, EngineError> {
    let FailedCall { call, failure, failed_models } = failed;
    if let Some(call) = call.into_call() {
        engine.record_call_failure(&call, &failure)?;
    }
    let Some(failed_models) = failed_models.filter(|_| engine.allows_fallback(outcome)) else { return Ok(None) };
    let next = engine.fall_back(outcome, failed_models)?;
    if next.model().is_none() {
        return Ok(None);
    }
    Target::send(engine, next).map(Some)
}
