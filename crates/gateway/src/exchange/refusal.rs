//! Error responses of the gateway in the format of the client's API.

use std::{fmt::Write as _, time::Duration};

use adapters::UpstreamFailure;
use contracts::{FailedCandidate, KeyId, WireApi};
use hyper::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER},
};
use router_core::{key_refused, key_refused_remedy};

use super::target::Target;
use crate::{body::ResponseBody, unavailable::FULL_DISK_RETRY_SECONDS};

/// Builds an error response of the gateway, in the format of the client's API. `kind` is the error type of Anthropic
/// and `OpenAI`; that of Gemini is derived from the status.
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

/// The error type of a busy provider. Claude Code repeats a request with it up to ten times, for three minutes, in spite of
/// [`SHOULD_RETRY`].
const OVERLOADED: &str = "overloaded_error";

/// The error type for a client that must not repeat the request.
pub(super) const FINAL_ERROR: &str = "api_error";

/// The response header that makes the SDKs of Anthropic and `OpenAI`, and clients built on them, not repeat a request.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Adds the header that makes the client show an error instead of repeating the request, since all models were already
/// tried.
pub(crate) fn forbid_client_retries(response: &mut Response<ResponseBody>) {
    response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
}

/// Builds the error response after all models have failed. It is the provider's own body if that has the format of the
/// client's API and no other model was tried. Otherwise it is an error of the gateway, with a header that makes the
/// client not repeat the request. `limit` is the time after which no further model was tried; `None` if the decision
/// has no other model.
pub(crate) fn provider_error_response(
    api: WireApi,
    target: &Target,
    failure: &UpstreamFailure,
    failed: &[FailedCandidate],
    limit: Option<Duration>,
) -> Response<ResponseBody> {
    let (default_status, kind) = wire::error_kind(api, failure.class);
    // Another status is no error, or was not meant for the client.
    let error_status = failure.status.filter(|status| status.is_client_error() || status.is_server_error());
    let status = error_status.map_or(default_status, |status| status.as_u16());
    let is_complete = limit.is_none() && error_status.is_some() && is_json_object(&failure.body);
    let forwards_body = is_complete && target.api == api && failed.len() <= 1;
    let mut response = if forwards_body {
        let mut response = Response::new(ResponseBody::complete(failure.body.clone()));
        *response.status_mut() = error_status.unwrap_or(StatusCode::BAD_GATEWAY);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    } else {
        let message = failure_message(target, failure, failed, limit);
        if failed.is_empty() {
            build_error(api, status, kind, &message)
        } else {
            let kind = if kind == OVERLOADED { FINAL_ERROR } else { kind };
            let mut response = build_error(api, status, kind, &message);
            forbid_client_retries(&mut response);
            response
        }
    };
    if let Some(wait) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.as_secs()));
    }
    response
}

/// Builds the error response after the provider of the last model rejected its configured API key. It names the key and
/// the next step. The status is 400, since after most others clients repeat the request or ask for a login of their
/// own.
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

/// Adds a `Retry-After` header to the response to a request that was refused because the disk is full.
pub(super) fn with_full_disk_retry(mut response: Response<ResponseBody>) -> Response<ResponseBody> {
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(FULL_DISK_RETRY_SECONDS));
    response
}

/// Lists the models that failed, each with its class of error.
fn tried(failed: &[FailedCandidate]) -> String {
    let tried = failed.iter().map(|candidate| format!("{} ({})", candidate.model, candidate.class.name()));
    tried.collect::<Vec<_>>().join(", ")
}

/// Returns whether a response body is a JSON object or list, as the errors of every API are. A proxy may respond with a
/// web page instead.
fn is_json_object(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
        && serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// Formats the error message for a turn without a response: the models that were tried, the error of the last one, and
/// when to retry.
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
    let defect =
        failure.defect.as_ref().map(|defect| format!(" The response of the last {defect}.")).unwrap_or_default();
    let limit =
        limit.map(|limit| format!(" No other model was tried after {} s.", limit.as_secs_f64())).unwrap_or_default();
    format!(
        "turnwise: no model answered. Tried: {}.{defect}{limit}{wait} Run `turnwise why {turn}` for every attempt",
        tried(failed)
    )
}
