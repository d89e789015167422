//! Handles a request for a response: inspection, decision, upstream call, fallback, response.

mod arrival;
mod attempt;
mod input;
mod outgoing;
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
    body::ResponseBody,
    gateway::{Gateway, unavailable_message},
};
use attempt::Attempt;
pub(crate) use input::prompt_shape;
use refusal::key_refused_response;
pub(crate) use refusal::{error_response, provider_error_response};
use target::Target;

/// A request of a client in one of the wire APIs.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) api: WireApi,
    pub(crate) headers: HeaderMap,
    pub(crate) query: Option<String>,
    /// The model and whether to stream, if the path contains them, as in Gemini's API.
    pub(crate) in_path: Option<(String, bool)>,
    pub(crate) body: Bytes,
}

impl Incoming {
    /// Returns the model that the client requests; empty if it names none.
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

/// Handles a request: decides its model, calls it, and falls back to other models until the first response byte.
pub(crate) async fn exchange(gateway: &Arc<Gateway>, incoming: Incoming) -> Response<ResponseBody> {
    match attempt_all(gateway, &incoming).await {
        Ok(response) => response,
        // The bus has logged the cause.
        Err(error) => {
            let response = error_response(
                incoming.api,
                503,
                "overloaded_error",
                &format!("turnwise: {}", unavailable_message(&error)),
            );
            match error {
                BusError::Log(error) if error.is_out_of_room() => refusal::with_full_disk_retry(response),
                _ => response,
            }
        }
    }
}

/// Calls models until one responds or none is left. The error is that of the bus.
async fn attempt_all(gateway: &Arc<Gateway>, incoming: &Incoming) -> Result<Response<ResponseBody>, BusError> {
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

/// Returns the configured key that a provider rejected; `None` for other errors.
fn refused_key(gateway: &Gateway, target: &Target, class: ErrorClass) -> Option<KeyId> {
    let provider = gateway.providers().get(target.model.provider.as_str())?;
    provider.config().key.clone().filter(|_| class == ErrorClass::Auth)
}

/// A call that failed before its first response byte, not yet recorded as failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) call: crate::call::RunningCall,
    pub(crate) failed: FailedAttempt,
}

/// The reason why a call failed before its first response byte.
#[derive(Debug)]
pub(crate) struct FailedAttempt {
    pub(crate) failure: UpstreamFailure,
    /// Whether the request was not sent because the model's API cannot express it, or its provider is not configured.
    pub(crate) not_convertible: bool,
}

impl FailedAttempt {
    /// Creates the failure of a request that was not sent. `cause` is the body of the error.
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
