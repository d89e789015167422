//! Handles a client's request to a model: inspects it, decides its model, sends it to the provider, falls back to other
//! models, and returns the response.

mod arrival;
mod attempt;
mod input;
mod outgoing;
mod received;
mod refusal;
mod target;

use std::sync::Arc;

use adapters::UpstreamFailure;
use contracts::{FailedCandidate, KeyId, WireApi, events::ErrorClass};
use engine::CallFailure;
use event_bus::BusError;
use hyper::{HeaderMap, Response, StatusCode, body::Bytes};
use tokio::time::Instant;
use wire::{RequestSummary, inspect};

use crate::{
    body::ResponseBody, body_budget::Reservation, gateway::Gateway, matching::prepare_message,
    unavailable::unavailable_message,
};
use attempt::Attempt;
pub(crate) use input::prompt_shape;
use refusal::key_refused_response;
pub(crate) use refusal::{error_response, provider_error_response};
use target::Target;

/// A request of a client to a model, in one of the wire APIs.
#[derive(Debug)]
pub(crate) struct Incoming {
    /// The wire API of the request's path.
    pub(crate) api: WireApi,
    /// The headers of the request.
    pub(crate) headers: HeaderMap,
    /// The query of the URL, without `?`; `None` without one.
    pub(crate) query: Option<String>,
    /// The model and whether to stream, if the path contains them, as in Gemini's API.
    pub(crate) in_path: Option<(String, bool)>,
    /// The body, with any content encoding removed.
    pub(crate) body: Bytes,
    /// The memory of the body, which is counted until the request has a response.
    #[expect(dead_code, reason = "counts the body while it exists")]
    pub(crate) memory: Reservation,
}

impl Incoming {
    /// Returns the name of the model that the client requests; empty if it names none.
    pub(crate) fn model<'a>(&'a self, inspected: &'a RequestSummary<'_>) -> &'a str {
        match &self.in_path {
            Some((model, _)) => model,
            None => inspected.model.as_deref().unwrap_or_default(),
        }
    }

    /// Returns whether the client requests a streamed response.
    fn streams(&self, inspected: &RequestSummary<'_>) -> bool {
        self.in_path.as_ref().map_or(inspected.stream, |(_, stream)| *stream)
    }
}

/// Handles a client's request to a model: decides which model receives it, sends it there, and falls back to other
/// models if one fails before the first byte of its response.
pub(crate) async fn exchange(gateway: &Arc<Gateway>, incoming: Incoming) -> Response<ResponseBody> {
    match attempt_all(gateway, &incoming).await {
        Ok(response) => response,
        // The bus has logged the cause.
        Err(error) => {
            let (status, kind) = match error {
                BusError::CommandPanicked(_) => (500, "api_error"),
                _ => (503, "overloaded_error"),
            };
            let message = format!("turnwise: {}", unavailable_message(&error));
            let response = error_response(incoming.api, status, kind, &message);
            match error {
                BusError::CommandPanicked(_) => {
                    gateway.faults().add(&incoming.body);
                    response
                }
                BusError::Busy => refusal::with_full_disk_retry(response),
                BusError::Log(error) if error.is_out_of_room() => refusal::with_full_disk_retry(response),
                _ => response,
            }
        }
    }
}

/// Sends a request to one model after the other until one responds or none is left, and returns the response. The error
/// is that of the bus.
async fn attempt_all(gateway: &Arc<Gateway>, incoming: &Incoming) -> Result<Response<ResponseBody>, BusError> {
    if gateway.faults().contains(&incoming.body) {
        let message = "turnwise: an equal request caused a fault in turnwise before, so it is not decided again";
        return Ok(error_response(incoming.api, 500, "api_error", message));
    }
    let inspected = match inspect(incoming.api, &incoming.body) {
        Ok(inspected) => inspected,
        Err(error) => return Ok(error_response(incoming.api, 400, "invalid_request_error", &error.to_string())),
    };
    let retry_until = Instant::now() + gateway.timeouts().refusals();
    let (mut target, mut call, durable) = match arrival::begin_turn(gateway, incoming, &inspected).await? {
        Ok(taken) => taken,
        Err(refusal) => return Ok(refusal),
    };
    let mut recorded = vec![durable];
    let mut failed: Vec<FailedCandidate> = Vec::new();
    loop {
        let model = target.model.id.clone();
        let attempt = Attempt { gateway, incoming, inspected: &inspected, target: &target, retry_until };
        let Failure { call: running, failed: FailedAttempt { failure, not_convertible } } =
            match attempt.execute(call).await {
                Ok(mut response) => {
                    // A client receives no byte before the decision is durable.
                    for durable in recorded {
                        durable.wait().await?;
                    }
                    target.label(&mut response, failed.len());
                    return Ok(response);
                }
                Err(failure) => failure,
            };
        let class = failure.class;
        // A model whose API cannot express the request is excluded like one that failed.
        let is_excluded = class.counts_against_provider() || not_convertible;
        if is_excluded {
            failed.push(FailedCandidate { model, class });
        }
        let in_time = Instant::now() < retry_until;
        let refused_key = refused_key(gateway, &target, class);
        let (status, retries) = (failure.status.map(|status| status.as_u16()), failure.retries);
        let failed_call = target::FailedCall {
            call: running,
            failure: CallFailure { class, status, retries, usage: None, raw_usage: None, key: refused_key.clone() },
            failed_models: (is_excluded && in_time).then(|| failed.clone()),
        };
        prepare_message(gateway, &target.outcome.input.message).await?;
        let (next, durable) = target::fall_back(gateway, &target, failed_call).await?;
        recorded.push(durable);
        if let Some(next) = next {
            (target, call) = next;
            continue;
        }
        for durable in recorded {
            durable.wait().await?;
        }
        let limit = (is_excluded && !in_time).then(|| gateway.timeouts().refusals());
        let mut response = match &refused_key {
            Some(key) => key_refused_response(incoming.api, &target, key, &failed),
            None => provider_error_response(incoming.api, &target, &failure, &failed, limit),
        };
        target.label(&mut response, failed.len());
        return Ok(response);
    }
}

/// Returns the configured API key that the provider of `target` rejected; `None` for other classes of errors.
fn refused_key(gateway: &Gateway, target: &Target, class: ErrorClass) -> Option<KeyId> {
    let providers = gateway.providers();
    let provider = providers.get(target.model.provider.as_str())?;
    provider.config().key.clone().filter(|_| class == ErrorClass::Auth)
}

/// A model call that failed before the first byte of its response and is not recorded as failed yet.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The call that is recorded as sent.
    pub(crate) call: crate::call::RunningCall,
    /// The reason of the failure.
    pub(crate) failed: FailedAttempt,
}

/// The reason why a model call failed before the first byte of its response.
#[derive(Debug)]
pub(crate) struct FailedAttempt {
    /// The error: class, status and body of the response.
    pub(crate) failure: UpstreamFailure,
    /// Whether the request was not sent because the model's API cannot express it, or its provider is not configured.
    pub(crate) not_convertible: bool,
}

impl FailedAttempt {
    /// Creates the reason for a request that was not sent, since it cannot be converted. `cause` is the body of the
    /// error response.
    fn not_convertible(cause: impl Into<Bytes>) -> Self {
        let failure = UpstreamFailure {
            status: Some(StatusCode::BAD_REQUEST),
            body: cause.into(),
            ..UpstreamFailure::without_response(ErrorClass::InvalidRequest)
        };
        Self { failure, not_convertible: true }
    }
}

impl From<UpstreamFailure> for FailedAttempt {
    fn from(failure: UpstreamFailure) -> Self {
        Self { failure, not_convertible: false }
    }
}
