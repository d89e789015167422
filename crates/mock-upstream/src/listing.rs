//! The endpoints that list models and count tokens.

use hyper::{HeaderMap, Response, StatusCode, body::Bytes};
use serde_json::{Value, json};

use crate::{
    api::check_credentials,
    api_error::ApiError,
    body::ResponseBody,
    record::EndRecorder,
    reply::{error_response, json_response},
    route::Api,
};

/// The models in the list; the mock responds for all others as well.
const MODELS: &[&str] = &["claude-opus-4-8", "claude-haiku-4-5", "gpt-5.5", "gpt-5.5-mini", "gemini-3.1-pro-preview"];

/// Responds with the number of tokens of a request: a quarter of its bytes, rounded up, as in the usage of a response.
/// Requests without credentials or with an invalid body are answered with an error. `number` is the number of the
/// request.
pub(crate) fn count_tokens(
    api: Api,
    headers: &HeaderMap,
    body: &Bytes,
    number: u64,
    recorder: EndRecorder,
) -> Response<ResponseBody> {
    if let Err(error) = check_credentials(api, headers) {
        return error_response(&error, api, number, recorder);
    }
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return error_response(&ApiError::invalid("The body of the request is not valid JSON"), api, number, recorder);
    };
    let tokens = body.len().div_ceil(4);
    if api == Api::Gemini {
        return json_response(StatusCode::OK, &json!({"totalTokens": tokens}), recorder);
    }
    if let Some(missing) = ["model", "messages"].into_iter().find(|name| request[*name].is_null()) {
        return error_response(
            &ApiError::invalid_field(missing, format!("{missing}: Field required")),
            api,
            number,
            recorder,
        );
    }
    if request.get("max_tokens").is_some() {
        return error_response(&ApiError::invalid("max_tokens: Extra inputs are not permitted"), api, number, recorder);
    }
    json_response(StatusCode::OK, &json!({"input_tokens": tokens}), recorder)
}

/// Responds with the list of models, or with the one named `requested`. Entries have the fields of both Anthropic and
/// `OpenAI`; those of Google differ. To a request with a `ChatGPT` login the list is an empty one in the format of that
/// service. Requests without credentials, and names that start with `no-such-model`, are
/// answered with an error. `number` is the number of the request.
pub(crate) fn list_models(
    api: Api,
    requested: Option<&str>,
    headers: &HeaderMap,
    number: u64,
    recorder: EndRecorder,
) -> Response<ResponseBody> {
    let error_api = if headers.contains_key("anthropic-version") { Api::Anthropic } else { api };
    if let Err(error) = check_credentials(error_api, headers) {
        return error_response(&error, error_api, number, recorder);
    }
    if headers.contains_key("chatgpt-account-id") {
        return json_response(StatusCode::OK, &json!({"models": []}), recorder);
    }
    if let Some(name) = requested {
        if name.starts_with("no-such-model") {
            return error_response(&ApiError::unknown_model(error_api, name), error_api, number, recorder);
        }
        return json_response(StatusCode::OK, &model_entry(api, name), recorder);
    }
    let list: Vec<Value> = MODELS.iter().map(|name| model_entry(api, name)).collect();
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
    json_response(StatusCode::OK, &body, recorder)
}

/// Returns the entry of the model `name` in the list of models, in the format of Google or of the other APIs.
fn model_entry(api: Api, name: &str) -> Value {
    match api {
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
    }
}
