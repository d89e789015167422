//! Error responses in the format of the client's API.

use std::{fmt::Write as _, time::Duration};

use adapters::UpstreamFailure;
use contracts::{FailedCandidate, KeyId, WireApi};
use hyper::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER},
};
use router_core::{key_refused, key_refused_remedy};

use super::target::Target;
use crate::{body::ResponseBody, gateway::FULL_DISK_RETRY_SECONDS};

/// Builds an error response of the gateway. `kind` is the error type of Anthropic and `OpenAI`; Gemini's is derived
/// from the status.
pub(crate) fn error_response(api: WireApi, status: u16, kind: &str, message: &str) -> Response<ResponseBody> {
    let kind = if api == WireApi::Gemini { wire::gemini_status(status) } else { kind };
    build_error(api, status, kind, message)
}

/// Builds an error response with the JSON body of the client's API.
fn build_error(api: WireApi, status: u16, kind: &str, message: &str) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::complete(wire::error_body(api, status, kind, message)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Response header by which the SDKs of Anthropic and `OpenAI`, and the clients built on them, do not repeat a request.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Marks a response as one that the client should show instead of repeating the request: all models were tried already.
pub(crate) fn forbid_client_retries(response: &mut Response<ResponseBody>) {
    response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
}

/// Builds the response after the last model failed: the provider's own body if it uses the client's API and no other
/// model was tried, otherwise an error of the gateway, which the client is told not to repeat. `limit` is the time after
/// which no further model was tried; `None` if the chain has no other model.
pub(crate) fn provider_error_response(
    api: WireApi,
    target: &Target,
    failure: &UpstreamFailure,
    failed: &[FailedCandidate],
    limit: Option<Duration>,
) -> Response<ResponseBody> {
    let (default_status, kind) = wire::error_kind(api, failure.class);
    let status = failure.status.map_or(default_status, |status| status.as_u16());
    let is_complete = limit.is_none() && !failure.body.is_empty() && failure.status.is_some();
    let forwards_body = is_complete && target.api == api && failed.len() <= 1;
    let mut response = if forwards_body {
        let mut response = Response::new(ResponseBody::complete(failure.body.clone()));
        *response.status_mut() = failure.status.unwrap_or(StatusCode::BAD_GATEWAY);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    } else {
        let mut response = build_error(api, status, kind, &failure_message(target, failure, failed, limit));
        if !failed.is_empty() {
            forbid_client_retries(&mut response);
        }
        response
    };
    if let Some(wait) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.as_secs()));
    }
    response
}

/// Builds the response after the provider of the last model rejected its configured key: which key, and what to do. The
/// status is 400, since clients repeat a request or ask for a login of their own after most others.
pub(super) fn key_refused_response(
    api: WireApi,
    target: &Target,
    key: &KeyId,
    failed: &[FailedCandidate],
) -> Response<ResponseBody> {
    let (provider, variable) = (&target.model.provider, key.variable.as_deref());
    let mut message = format!("turnwise: {}.", key_refused(provider, variable));
    if 1 < failed.len() {
        let _ = write!(message, " Tried: {}.", tried(failed));
    }
    let turn = target.outcome.turn;
    let _ = write!(message, "\n  {}\n  GET /turns/{turn} says more", key_refused_remedy(provider, variable));
    build_error(api, 400, "invalid_request_error", &message)
}

/// Adds the time after which the client may repeat a request that was refused because the disk is full.
pub(super) fn with_full_disk_retry(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(FULL_DISK_RETRY_SECONDS));
    response
}

/// Lists the models that failed, each with its class of error.
fn tried(failed: &[FailedCandidate]) -> String {
    let tried = failed.iter().map(|candidate| format!("{} ({})", candidate.model, candidate.class.name()));
    tried.collect::<Vec<_>>().join(", ")
}

/// Formats the error message for a turn without a response: the models that were tried, and when to retry.
fn failure_message(
    target: &Target,
    failure: &UpstreamFailure,
    failed: &[FailedCandidate],
    limit: Option<Duration>,
) -> String {
    let turn = target.outcome.turn;
    if failed.is_empty() {
        let model = &target.model.id;
        return format!(
            "turnwise: {model} refused the request ({}); GET /turns/{turn} says more",
            failure.class.name()
        );
    }
    let wait =
        failure.retry_after.map(|wait| format!(" The last asks to wait {} s.", wait.as_secs())).unwrap_or_default();
    let limit =
        limit.map(|limit| format!(" No other model was tried after {} s.", limit.as_secs_f64())).unwrap_or_default();
    format!(
        "turnwise: no model answered. Tried: {}.{limit}{wait} Run `turnwise why {turn}` for every attempt",
        tried(failed)
    )
}
