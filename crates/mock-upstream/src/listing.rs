//! Lists models and counts tokens.

use hyper::{HeaderMap, Response, StatusCode, body::Bytes};
use serde_json::{Value, json};

use crate::{
    body::ResponseBody,
    record::EndRecorder,
    refusal::Refusal,
    reply::{refuse, respond},
    route::Api,
    shapes::credentials,
};

/// The listed models; the mock responds for others as well.
const MODELS: &[&str] = &["claude-opus-4-8", "claude-haiku-4-5", "gpt-5.5", "gpt-5.5-mini", "gemini-3.1-pro-preview"];

/// Responds to a token count request: a token is four bytes, as in the usage of responses.
pub(crate) fn count(
    api: Api,
    headers: &HeaderMap,
    body: &Bytes,
    number: u64,
    watch: EndRecorder,
) -> Response<ResponseBody> {
    if let Err(refusal) = credentials(api, headers) {
        return refuse(&refusal, api, number, watch);
    }
    let Ok(asked) = serde_json::from_slice::<Value>(body) else {
        return refuse(&Refusal::invalid("The body of the request is not valid JSON"), api, number, watch);
    };
    let tokens = body.len().div_ceil(4);
    if api == Api::Gemini {
        return respond(StatusCode::OK, &json!({"totalTokens": tokens}), watch);
    }
    if let Some(missing) = ["model", "messages"].into_iter().find(|name| asked[*name].is_null()) {
        return refuse(&Refusal::field(missing, format!("{missing}: Field required")), api, number, watch);
    }
    if asked.get("max_tokens").is_some() {
        return refuse(&Refusal::invalid("max_tokens: Extra inputs are not permitted"), api, number, watch);
    }
    respond(StatusCode::OK, &json!({"input_tokens": tokens}), watch)
}

/// Returns the list of models, or one of them, in a shape with the fields of Anthropic and `OpenAI`; Google's differs.
pub(crate) fn models(
    api: Api,
    one: Option<&str>,
    headers: &HeaderMap,
    number: u64,
    watch: EndRecorder,
) -> Response<ResponseBody> {
    let by = if headers.contains_key("anthropic-version") { Api::Anthropic } else { api };
    if let Err(refusal) = credentials(by, headers) {
        return refuse(&refusal, by, number, watch);
    }
    let shape = |name: &str| match api {
        Api::Gemini => json!({"name": format!("models/{name}"), "displayName": name}),
        _ => json!({
            "id": name,
            "object": "model",
            "type": "model",
            "created": 1_700_000_000,
            "created_at": "2023-11-14T22:13:20Z",
            "owned_by": "mock",
            "display_name": name,
        }),
    };
    if let Some(name) = one {
        if name.starts_with("no-such-model") {
            return refuse(&Refusal::no_model(by, name), by, number, watch);
        }
        return respond(StatusCode::OK, &shape(name), watch);
    }
    let list: Vec<Value> = MODELS.iter().map(|name| shape(name)).collect();
    let body = match api {
        Api::Gemini => json!({"models": list}),
        _ => json!({
            "object": "list",
            "data": list,
            "has_more": false,
            "first_id": MODELS.first(),
            "last_id": MODELS.last(),
        }),
    };
    respond(StatusCode::OK, &body, watch)
}
