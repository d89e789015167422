//! Selects the implementation of an API: parsing requests, writing responses, checking credentials.

use hyper::{HeaderMap, body::Bytes, header::AUTHORIZATION};
use serde_json::Value;

use crate::{
    answer::Answer,
    anthropic,
    asked::ParsedRequest,
    chat, gemini,
    refusal::Refusal,
    responses,
    route::{Api, GeminiStream},
};

/// Validates and parses a request. `in_path` is the model and the form of the response from the path of a Gemini
/// request.
pub(crate) fn read(
    api: Api,
    in_path: Option<(String, GeminiStream)>,
    headers: &HeaderMap,
    body: &Value,
    length: usize,
) -> Result<ParsedRequest, Refusal> {
    match (api, in_path) {
        (Api::Gemini, Some((model, how))) => gemini::read(&model, how != GeminiStream::Whole, body, length),
        (Api::Anthropic, _) => anthropic::read(headers, body, length),
        (Api::Responses, _) => responses::read(body, length),
        (Api::Chat | Api::Gemini, _) => chat::read(body, length),
    }
}

/// Writes a response in an API, not streamed.
pub(crate) fn whole(api: Api, answer: &Answer) -> Value {
    match api {
        Api::Anthropic => anthropic::whole(answer),
        Api::Chat => chat::whole(answer),
        Api::Responses => responses::whole(answer),
        Api::Gemini => gemini::whole(answer),
    }
}

/// Writes a response in an API as the events of a stream.
pub(crate) fn events(api: Api, how: Option<GeminiStream>, answer: &Answer, include_usage: bool) -> Vec<Bytes> {
    match api {
        Api::Anthropic => anthropic::events(answer),
        Api::Chat => chat::events(answer, include_usage),
        Api::Responses => responses::events(answer),
        Api::Gemini if how == Some(GeminiStream::Array) => gemini::array(answer),
        Api::Gemini => gemini::events(answer),
    }
}

/// Checks that the request has credentials in the header of its API; their value is not checked.
pub(crate) fn credentials(api: Api, headers: &HeaderMap) -> Result<(), Refusal> {
    let bearer = headers.get(AUTHORIZATION).is_some_and(|value| {
        value.as_bytes().strip_prefix(b"Bearer ").is_some_and(|token| !token.trim_ascii().is_empty())
    });
    let has = |name: &str| headers.get(name).is_some_and(|value| !value.is_empty());
    let known = match api {
        Api::Anthropic => bearer || has("x-api-key"),
        Api::Chat | Api::Responses => bearer,
        Api::Gemini => has("x-goog-api-key"),
    };
    if known { Ok(()) } else { Err(Refusal::no_credentials(api)) }
}
