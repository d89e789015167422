//! Calls the implementation of an API: parsing requests, writing responses, checking credentials.

use hyper::{HeaderMap, body::Bytes, header::AUTHORIZATION};
use serde_json::Value;

use crate::{
    answer::Answer,
    anthropic,
    api_error::ApiError,
    chat, gemini,
    parsed_request::ParsedRequest,
    responses,
    route::{Api, GeminiForm},
};

/// Validates and parses a request. `path_parts` has the model and the form of the response from the path of a Gemini
/// request; `None` for other APIs. `body_bytes` is the length of the body.
///
/// # Errors
/// [`ApiError`] if the request is invalid in its API.
pub(crate) fn parse_request(
    api: Api,
    path_parts: Option<(String, GeminiForm)>,
    headers: &HeaderMap,
    body: &Value,
    body_bytes: usize,
) -> Result<ParsedRequest, ApiError> {
    match (api, path_parts) {
        (Api::Gemini, Some((model, form))) => {
            gemini::parse_request(&model, form != GeminiForm::Whole, body, body_bytes)
        }
        (Api::Anthropic, _) => anthropic::parse_request(headers, body, body_bytes),
        (Api::Responses, _) => responses::parse_request(body, body_bytes),
        (Api::Chat | Api::Gemini, _) => chat::parse_request(body, body_bytes),
    }
}

/// Writes the mock's response, if it is not streamed, as the JSON of an API.
pub(crate) fn response_body(api: Api, answer: &Answer) -> Value {
    match api {
        Api::Anthropic => anthropic::response_body(answer),
        Api::Chat => chat::response_body(answer),
        Api::Responses => responses::response_body(answer),
        Api::Gemini => gemini::response_body(answer),
    }
}

/// Writes a streamed response as the events of an API. `form` is the form of a Gemini response; `include_usage` adds
/// the usage at the end of a stream of chat completions.
pub(crate) fn stream_events(api: Api, form: Option<GeminiForm>, answer: &Answer, include_usage: bool) -> Vec<Bytes> {
    match api {
        Api::Anthropic => anthropic::stream_events(answer),
        Api::Chat => chat::stream_events(answer, include_usage),
        Api::Responses => responses::stream_events(answer),
        Api::Gemini if form == Some(GeminiForm::Array) => gemini::stream_array(answer),
        Api::Gemini => gemini::stream_events(answer),
    }
}

/// Checks that a request has credentials in a header of its API. Any value that is not empty is accepted.
///
/// # Errors
/// [`ApiError`] with status 401 if it has none.
pub(crate) fn check_credentials(api: Api, headers: &HeaderMap) -> Result<(), ApiError> {
    let bearer = headers.get(AUTHORIZATION).is_some_and(|value| {
        value.as_bytes().strip_prefix(b"Bearer ").is_some_and(|token| !token.trim_ascii().is_empty())
    });
    let has_header = |name: &str| headers.get(name).is_some_and(|value| !value.is_empty());
    let has_credentials = match api {
        Api::Anthropic => bearer || has_header("x-api-key"),
        Api::Chat | Api::Responses => bearer,
        Api::Gemini => has_header("x-goog-api-key"),
    };
    if has_credentials { Ok(()) } else { Err(ApiError::missing_credentials(api)) }
}
