//! The gateway's own endpoints: the page, its JSON API, and the metrics.

mod assets;
mod live;
mod log_reads;
mod policy;
mod providers;
mod rules;
mod savings;
mod skills;
mod spend;
mod status;
mod turns;
mod what_if;

pub(crate) use savings::SavingsCache;

use std::{sync::Arc, time::Duration};

use control::{ControlRequest, ErrorKind};
use event_bus::BusError;
use http_body_util::{BodyExt as _, Limited};
use hyper::{
    Method, Request, Response, StatusCode,
    body::Incoming as Body,
    header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    body::ResponseBody,
    gateway::Gateway,
    unavailable::{FULL_DISK_RETRY_SECONDS, unavailable_message},
};

pub(crate) use log_reads::{Cancelled, LogReads};

/// The largest request body of the page's API, in bytes; a policy file fits.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// The seconds after which a client may repeat a request that was refused because too many were running.
const BUSY_RETRY_SECONDS: u64 = 2;

/// The path of a skill decision, before its id.
const SKILL_DECISIONS: &str = "/api/skills/decisions/";

/// The JSON body of a response of the page's API, or an error response.
type ApiResult = Result<Value, ApiError>;

/// An error response of the page's API: a status and a JSON body with the message.
#[derive(Debug, Clone, PartialEq)]
struct ApiError {
    /// The HTTP status.
    status: StatusCode,
    /// The JSON body, with the message in `error.message`.
    body: Value,
}

impl ApiError {
    /// Creates an error response with this status and message.
    fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, body: json!({ "error": { "message": message.into() } }) }
    }

    /// Creates an error with status 500.
    fn internal(message: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message.to_string())
    }
}

impl From<BusError> for ApiError {
    fn from(error: BusError) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, unavailable_message(&error))
    }
}

/// Handles a request to one of the gateway's own endpoints: the page, its API, metrics or health.
pub(crate) async fn handle(gateway: &Arc<Gateway>, request: Request<Body>) -> Response<ResponseBody> {
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let method = request.method().clone();
    if method == Method::GET || method == Method::HEAD {
        return match path.as_str() {
            "/health" => match health(gateway).await {
                Ok(()) => text_response("text/plain; charset=utf-8", "ok\n"),
                Err(error) => response(Err(error.into())),
            },
            "/metrics" => match status::metrics(gateway).await {
                Ok(metrics) => text_response("text/plain; version=0.0.4; charset=utf-8", metrics),
                Err(error) => response(Err(error)),
            },
            "/api/status" => response(status::status(gateway).await),
            "/api/turns" => response(turns::turns(gateway, &query).await),
            "/api/live" => live::live(gateway),
            "/api/spend" => response(spend::spend(gateway).await),
            "/api/savings" => response(savings::savings_of_log(gateway).await),
            "/api/rules" => response(rules::rules(gateway).await),
            "/api/skills" => response(skills::overview(gateway).await),
            "/api/skills/workspace" => response(skills::workspace(gateway, &query).await),
            "/api/policy" => response(policy::policy(gateway).await),
            path if path.starts_with(SKILL_DECISIONS) => {
                response(skills::decision(gateway, &path[SKILL_DECISIONS.len()..]).await)
            }
            path => match (assets::find_asset(path), path.strip_prefix("/turns/")) {
                (Some((kind, content)), _) => assets::response(kind, content),
                (None, Some(turn)) => response(turns::turn(gateway, turn).await),
                (None, None) => not_found(),
            },
        };
    }
    if method == Method::POST
        && let Some(turn) = path.strip_prefix("/api/turns/").and_then(|path| path.strip_suffix("/feedback"))
    {
        return response(turns::rate(gateway, turn, request).await);
    }
    if method == Method::POST
        && let Some(provider) = path.strip_prefix("/api/providers/").and_then(|path| path.strip_suffix("/retry"))
    {
        return response(providers::retry(gateway, provider, request).await);
    }
    match (method.as_str(), path.as_str()) {
        ("POST", "/api/turns/search") => response(turns::search(gateway, request).await),
        ("POST", "/api/policy/check") => response(policy::check_policy(gateway, request).await),
        ("PUT", "/api/policy") => response(policy::save(gateway, request).await),
        ("POST", "/api/policy/what-if") => response(what_if::what_if(gateway, request).await),
        _ => not_found(),
    }
}

/// Executes a request of the control protocol for the page, and returns its response once the recorded events are
/// durable. An invalid request results in status 404, since the page only names objects that it has listed.
async fn execute(gateway: &Gateway, request: ControlRequest) -> ApiResult {
    let (response, durable) = gateway.bus().command(move |engine| control::execute(engine, request)).await?;
    durable.wait().await?;
    response.map_err(|error| match error.kind {
        ErrorKind::Invalid => ApiError::new(StatusCode::NOT_FOUND, error.message),
        ErrorKind::Failed => ApiError::internal(error.message),
    })
}

/// Checks that the gateway can record turns: the bus answers, and its log has room on the disk.
async fn health(gateway: &Gateway) -> Result<(), BusError> {
    gateway.bus().query(|_| ()).await?;
    gateway.bus().out_of_room().map_or(Ok(()), |error| Err(error.into()))
}

/// The time limit for receiving a request body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Parses the JSON body of a request to the page's API. Requires `Content-Type: application/json`, which an HTML form
/// of another site cannot send.
async fn read_json<T: DeserializeOwned>(request: Request<Body>) -> Result<T, ApiError> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("application/json") {
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send `Content-Type: application/json`"));
    }
    let body = timeout(BODY_TIMEOUT, Limited::new(request.into_body(), MAX_BODY_BYTES).collect()).await;
    let body = body.map_err(|_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "the request body is incomplete"))?;
    let body = body.map_err(|_| ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"))?.to_bytes();
    let invalid = |error| ApiError::new(StatusCode::BAD_REQUEST, format!("the request body is invalid: {error}"));
    serde_json::from_slice(&body).map_err(invalid)
}

/// Parses a numeric parameter of a query string; `None` if it is missing or not a number.
fn query_number(query: &str, name: &str) -> Option<u64> {
    query_text(query, name)?.parse().ok()
}

/// Returns the encoded value of a parameter of a query string; `None` if it is missing.
fn query_text<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
}

/// Builds the HTTP response of an endpoint from its JSON result or its error.
fn response(result: ApiResult) -> Response<ResponseBody> {
    let (status, body) = match result {
        Ok(body) => (StatusCode::OK, body),
        Err(ApiError { status, body }) => (status, body),
    };
    let mut response = text_response("application/json", body.to_string());
    *response.status_mut() = status;
    let retry_after = match status {
        StatusCode::TOO_MANY_REQUESTS => Some(BUSY_RETRY_SECONDS),
        StatusCode::SERVICE_UNAVAILABLE => Some(FULL_DISK_RETRY_SECONDS),
        _ => None,
    };
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Builds a response with status 200 and content type `kind`, which must not be cached.
fn text_response(kind: &'static str, content: impl Into<hyper::body::Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::complete(content));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Builds the response for an unknown path.
fn not_found() -> Response<ResponseBody> {
    response(Err(ApiError::new(StatusCode::NOT_FOUND, "no such endpoint")))
}
