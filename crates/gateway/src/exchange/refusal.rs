//! Errors, in the shape of the client's own API.

use contracts::{FailedCandidate, WireApi, facts::ErrorClass};
use hyper::{
    Response, StatusCode,
    header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};

use super::arrival::Decided;
use crate::{body::Answer, upstream::Failed};

/// An error of the gateway's own.
pub(crate) fn refused(api: WireApi, status: u16, kind: &str, message: &str) -> Response<Answer> {
    let mut response = Response::new(Answer::whole(wire::error_body(api, status, kind, message)));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// What the last provider said, when nobody is left: its own words where client and provider speak the same API.
pub(crate) fn told(api: WireApi, decided: &Decided, failure: &Failed, failed: &[FailedCandidate]) -> Response<Answer> {
    let status = failure.status.map_or_else(|| status_of(failure.class), |status| status.as_u16());
    let own_words = decided.api == api && failed.len() <= 1 && !failure.body.is_empty() && failure.status.is_some();
    let mut response = if own_words {
        let mut response = Response::new(Answer::whole(failure.body.clone()));
        *response.status_mut() = failure.status.unwrap_or(StatusCode::BAD_GATEWAY);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    } else {
        refused(api, status, kind_of(failure.class), &message(decided, failure, failed))
    };
    if let Some(value) = &failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, value.clone());
    }
    response
}

fn message(decided: &Decided, failure: &Failed, failed: &[FailedCandidate]) -> String {
    let turn = decided.turn;
    if failed.is_empty() {
        let model = &decided.model.id;
        return format!(
            "turnwise: {model} refused the request ({}); GET /turns/{turn} says more",
            failure.class.name()
        );
    }
    let tried: Vec<_> = failed.iter().map(|one| format!("{} ({})", one.model, one.class.name())).collect();
    let wait =
        failure.retry_seconds().map(|seconds| format!(" The last asks to wait {seconds} s.")).unwrap_or_default();
    format!("turnwise: nobody answered. Tried: {}.{wait} GET /turns/{turn} says more", tried.join(", "))
}

/// The status for a provider that gave none.
const fn status_of(class: ErrorClass) -> u16 {
    match class {
        ErrorClass::Timeout => 504,
        _ => 502,
    }
}

/// The kind of error as Anthropic's API names it; the others translate it.
const fn kind_of(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::RateLimit => "rate_limit_error",
        ErrorClass::Overloaded => "overloaded_error",
        ErrorClass::Auth => "authentication_error",
        ErrorClass::ModelNotFound => "not_found_error",
        ErrorClass::InvalidRequest | ErrorClass::ContextOverflow | ErrorClass::ContentFilter => "invalid_request_error",
        ErrorClass::Timeout => "timeout_error",
        _ => "api_error",
    }
}
