//! Dispatches requests by path.

use std::{sync::Arc, time::Instant};

use contracts::WireApi;
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body as _, Incoming as Body},
    header::{CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, RETRY_AFTER, UPGRADE, X_CONTENT_TYPE_OPTIONS},
};
use tracing::Instrument as _;

use crate::{
    body::ResponseBody,
    body_budget::BodyError,
    content_encoding::{EncodingError, decode_body},
    counting, embeddings,
    exchange::{Incoming, error_response, exchange},
    gateway::Gateway,
    guard::{Guard, Scope},
    listing,
    panics::catch_panic,
    request_span::{SpannedBody, request_span},
};

/// The seconds after which a client may repeat a request that was refused because bodies occupied too much memory.
const BODY_RETRY_SECONDS: u64 = 5;

/// The endpoint of the gateway that a method and a path select.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Route {
    /// Generate a response in a wire API. Gemini's path contains the model and whether to stream.
    Generate(WireApi, Option<(String, bool)>),
    /// Count the tokens of a prompt. Gemini's path contains the model.
    Count(WireApi, Option<(String, bool)>),
    /// Embeddings of texts.
    Embed,
    /// The list of models.
    Models,
    /// One of the gateway's own endpoints.
    Own,
    /// The path is not an endpoint.
    Unknown,
}

/// Returns the endpoint of a method and a path. The API version at the start of a path is optional for requests to a
/// model.
fn route(method: &Method, path: &str) -> Route {
    let endpoint = path.strip_prefix("/v1/").or_else(|| path.strip_prefix("/v1beta/"));
    let endpoint = endpoint.unwrap_or_else(|| path.strip_prefix('/').unwrap_or(path));
    if *method == Method::POST {
        match endpoint {
            "messages" => return Route::Generate(WireApi::AnthropicMessages, None),
            "messages/count_tokens" => return Route::Count(WireApi::AnthropicMessages, None),
            "chat/completions" => return Route::Generate(WireApi::OpenAiChat, None),
            "embeddings" => return Route::Embed,
            "responses" => return Route::Generate(WireApi::OpenAiResponses, None),
            _ => {}
        }
        if let Some((model, verb)) = endpoint.strip_prefix("models/").and_then(|rest| rest.rsplit_once(':')) {
            match verb {
                "generateContent" => return Route::Generate(WireApi::Gemini, Some((model.to_owned(), false))),
                "streamGenerateContent" => return Route::Generate(WireApi::Gemini, Some((model.to_owned(), true))),
                "countTokens" => return Route::Count(WireApi::Gemini, Some((model.to_owned(), false))),
                _ => return Route::Unknown,
            }
        }
    }
    let is_read = *method == Method::GET || *method == Method::HEAD;
    if is_read && (endpoint == "models" || endpoint.starts_with("models/")) && path != "/models" {
        return Route::Models;
    }
    let own = matches!(path, "/" | "/metrics" | "/health")
        || ["/api/", "/turns/", "/page/"].iter().any(|prefix| path.starts_with(prefix));
    if own { Route::Own } else { Route::Unknown }
}

/// Returns the scope that a token needs for an endpoint.
fn required_scope(route: &Route, method: &Method, path: &str) -> Scope {
    let is_read = *method == Method::GET || *method == Method::HEAD;
    // Questions to the page's API that need a body.
    let is_question = matches!(path, "/api/turns/search" | "/api/policy/check" | "/api/policy/what-if");
    match route {
        Route::Generate(..) | Route::Count(..) | Route::Embed | Route::Models => Scope::Use,
        Route::Own | Route::Unknown if is_read || is_question => Scope::Read,
        Route::Own | Route::Unknown => Scope::Admin,
    }
}

/// Returns the wire API in whose format the error for an unknown path is written.
fn error_format(path: &str) -> WireApi {
    match path {
        path if path.contains("messages") => WireApi::AnthropicMessages,
        path if path.contains("v1beta") => WireApi::Gemini,
        path if path.contains("responses") => WireApi::OpenAiResponses,
        _ => WireApi::OpenAiChat,
    }
}

/// Handles an HTTP request within a tracing span of its own, which ends with the response body. Responds with status 500 if
/// the handler panics.
pub(crate) async fn handle(gateway: Arc<Gateway>, request: Request<Body>) -> Response<SpannedBody> {
    let span = request_span(|| gateway.count_request(), request.method(), request.uri().path());
    let format = error_format(request.uri().path());
    let handled = catch_panic(dispatch(Arc::clone(&gateway), request).instrument(span.clone())).await;
    let response = handled.unwrap_or_else(|| {
        tracing::error!(parent: &span, "the handler of a request panicked");
        error_response(format, 500, "api_error", "turnwise: a fault in turnwise; the gateway's own output has it")
    });
    span.record("status", response.status().as_u16());
    let mut response = response.map(|body| SpannedBody { body, span });
    // No browser guesses that a response is a script or a page.
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Handles an HTTP request: checks access, passes the request to the endpoint of its path, and counts the response.
/// Responds with status 401 or 403 to a request without access, 426 to a WebSocket upgrade, and 404 to an unknown path.
async fn dispatch(gateway: Arc<Gateway>, mut request: Request<Body>) -> Response<ResponseBody> {
    let began = Instant::now();
    let path = request.uri().path().to_owned();
    let route = route(request.method(), &path);
    let api = match &route {
        Route::Generate(api, _) | Route::Count(api, _) => *api,
        _ => error_format(&path),
    };
    let guard = gateway.guard();
    if let Err(reason) = guard.check_host_and_origin(request.uri(), request.headers()) {
        return error_response(api, reason.status(), "permission_error", reason.message());
    }
    // The files of the page contain no data, so they need no token; the API does.
    let is_public = matches!(path.as_str(), "/" | "/health") || path.starts_with("/page/");
    if !is_public && let Err(reason) = Guard::check_fetch_site(request.headers()) {
        return error_response(api, reason.status(), "permission_error", reason.message());
    }
    if !is_public
        && let Err(reason) = guard.check_token(request.headers(), required_scope(&route, request.method(), &path))
    {
        let kind = if reason.status() == 401 { "authentication_error" } else { "permission_error" };
        return error_response(api, reason.status(), kind, reason.message());
    }
    guard.remove_tokens(request.headers_mut());
    // Other upgrades are optional for the client and are ignored; a client that asks for a WebSocket needs an answer.
    let is_websocket = |value: &HeaderValue| value.as_bytes().to_ascii_lowercase().starts_with(b"websocket");
    if request.headers().get(UPGRADE).is_some_and(is_websocket) {
        return upgrade_refused();
    }
    match route {
        Route::Generate(api, in_path) => {
            let response = match read_request(&gateway, api, in_path, request).await {
                Ok(incoming) => exchange(&gateway, incoming).await,
                Err(refusal) => refusal,
            };
            gateway.metrics().count_response(api, response.status().as_u16(), began.elapsed());
            response
        }
        Route::Count(api, in_path) => match read_request(&gateway, api, in_path, request).await {
            Ok(incoming) => counting::count_tokens(&gateway, incoming).await,
            Err(refusal) => refusal,
        },
        Route::Embed => match read_request(&gateway, api, None, request).await {
            Ok(incoming) => embeddings::embed(&gateway, incoming).await,
            Err(refusal) => refusal,
        },
        Route::Models => listing::list_models(&gateway, &path, request.uri().query(), request.headers()).await,
        Route::Own => {
            gateway.metrics().count_other_response();
            crate::own::handle(&gateway, request).await
        }
        Route::Unknown => {
            let message = format!("turnwise: no endpoint at {} {}", request.method(), printable(&path));
            error_response(api, 404, "not_found_error", &message)
        }
    }
}

/// Shortens a path to 100 characters and removes control characters, for an error message.
fn printable(path: &str) -> String {
    path.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Builds the response that refuses a WebSocket upgrade. Its status is 426, the only one after which Codex falls back
/// to HTTP at once.
fn upgrade_refused() -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::complete("this gateway speaks HTTP, not WebSocket\n"));
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    response.headers_mut().insert(UPGRADE, HeaderValue::from_static("HTTP/1.1"));
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("upgrade"));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    response
}

/// Reads the body of a client's request within the limits of size and time.
///
/// # Errors
/// The response for the client: 413 for a body that is too large, 408 for one that takes too long, 400 if the
/// connection closes early.
async fn read_request(
    gateway: &Gateway,
    api: WireApi,
    in_path: Option<(String, bool)>,
    request: Request<Body>,
) -> Result<Incoming, Response<ResponseBody>> {
    let (parts, body) = request.into_parts();
    let max_bytes = gateway.limits().body_bytes;
    let too_large = || body_error_response(api, BodyError::TooLarge, max_bytes);
    if body.size_hint().lower() > max_bytes as u64 {
        return Err(too_large());
    }
    let read = gateway.body_budget().read_body(body, max_bytes);
    let (body, mut memory) = match tokio::time::timeout(gateway.timeouts().request(), read).await {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return Err(body_error_response(api, error, max_bytes)),
        Err(_) => {
            return Err(error_response(api, 408, "timeout_error", "turnwise: the request took too long to arrive"));
        }
    };
    let query = parts.uri.query().map(str::to_owned);
    let mut headers = parts.headers;
    let is_decoded = headers.contains_key(CONTENT_ENCODING);
    let body = decode_body(&mut headers, body, max_bytes).map_err(|error| match error {
        EncodingError::TooLarge => too_large(),
        EncodingError::Unsupported(_) => {
            error_response(api, 415, "invalid_request_error", &format!("turnwise: {error}"))
        }
        EncodingError::Invalid => error_response(api, 400, "invalid_request_error", &format!("turnwise: {error}")),
    })?;
    if is_decoded {
        memory.grow(body.len()).await.map_err(|error| body_error_response(api, error, max_bytes))?;
    }
    Ok(Incoming { api, headers, query, in_path, body, memory })
}

/// Builds the error response to a request whose body could not be read. `max_bytes` is the limit of one body.
fn body_error_response(api: WireApi, error: BodyError, max_bytes: usize) -> Response<ResponseBody> {
    match error {
        BodyError::TooLarge => {
            let message =
                format!("turnwise: the request is larger than {max_bytes} bytes, the most this gateway takes");
            error_response(api, 413, "request_too_large", &message)
        }
        BodyError::NoRoom => {
            let message = format!("turnwise: {error} (`limits.total_body_bytes`); try again later");
            let mut response = error_response(api, 503, "overloaded_error", &message);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(BODY_RETRY_SECONDS));
            response
        }
        BodyError::Closed => error_response(api, 400, "invalid_request_error", &format!("turnwise: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use contracts::WireApi;
    use hyper::Method;

    use super::{Route, route};

    #[test]
    fn the_four_apis_are_found_with_and_without_their_version() {
        let posted = |path| route(&Method::POST, path);
        assert_eq!(posted("/v1/messages"), Route::Generate(WireApi::AnthropicMessages, None));
        assert_eq!(posted("/v1/messages/count_tokens"), Route::Count(WireApi::AnthropicMessages, None));
        let gemini = Some(("gemini-9".to_owned(), false));
        assert_eq!(posted("/v1beta/models/gemini-9:countTokens"), Route::Count(WireApi::Gemini, gemini));
        assert_eq!(posted("/chat/completions"), Route::Generate(WireApi::OpenAiChat, None));
        assert_eq!(posted("/v1/responses"), Route::Generate(WireApi::OpenAiResponses, None));
        let gemini = |stream| Route::Generate(WireApi::Gemini, Some(("gemini-3-pro".to_owned(), stream)));
        assert_eq!(posted("/v1beta/models/gemini-3-pro:generateContent"), gemini(false));
        assert_eq!(posted("/v1beta/models/gemini-3-pro:streamGenerateContent"), gemini(true));
        assert_eq!(route(&Method::GET, "/v1/models"), Route::Models);
        assert_eq!(route(&Method::GET, "/v1/messages"), Route::Unknown);
        assert_eq!(route(&Method::HEAD, "/"), Route::Own);
        assert_eq!(posted("/v1/embeddings"), Route::Embed);
        assert_eq!(posted("/v1/images"), Route::Unknown);
    }
}
