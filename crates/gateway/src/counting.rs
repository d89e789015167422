//! Token counting: responds with the provider's count if it has an endpoint for it, otherwise with an estimate.

use std::time::Duration;

use adapters::{ClientRequestParts, Operation, RetryBudget, UpstreamRequest};
use catalogue::estimate::estimate_for_each_tokenizer;
use contracts::{ModelSpec, Tokenizer, WireApi};
use http_body_util::{BodyExt as _, Limited};
use hyper::{Response, body::Bytes, header::HeaderValue};
use router_core::CountTokens;
use tokio::time::timeout;
use wire::{RequestSummary, apply_edits, inspect, set_model};

use crate::{
    body::{ResponseBody, json_response},
    embeddings::is_object_with,
    exchange::{Incoming, error_response, prompt_shape},
    gateway::Gateway,
    unavailable::unavailable_message,
};

/// The timeout of the provider's count. Clients count before every turn, and the estimate is available at once.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The largest accepted response to a count, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Handles a client's request to count the tokens of a prompt: responds with the provider's count, or else with an
/// estimate. Records no event, since counting calls no model and costs nothing.
pub(crate) async fn count_tokens(gateway: &Gateway, mut incoming: Incoming) -> Response<ResponseBody> {
    if let Some(inner_request) = inner_request(&incoming) {
        incoming.body = inner_request;
    }
    let inspected = match inspect(incoming.api, &incoming.body) {
        Ok(inspected) => inspected,
        Err(error) => return error_response(incoming.api, 400, "invalid_request_error", &error.to_string()),
    };
    let requested = incoming.model(&inspected).to_owned();
    let queried = gateway
        .bus()
        .query(move |engine| {
            let model = engine.models().registry.named(&requested).cloned();
            let default = engine.policy().policy.global_default().cloned();
            let default = default.and_then(|model| engine.models().registry.get(&model).cloned());
            (model.or(default), engine.policy().policy.gateway().count_tokens)
        })
        .await;
    let (model, counting) = match queried {
        Ok(queried) => queried,
        Err(error) => return error_response(incoming.api, 503, "overloaded_error", &unavailable_message(&error)),
    };
    if counting == CountTokens::Provider
        && let Some(model) = &model
        && let Ok(Some(answer)) = timeout(TIMEOUT, request_provider_count(gateway, &incoming, &inspected, model)).await
    {
        return answer;
    }
    let tokenizer = model.map_or(Tokenizer::Generic, |model| model.tokenizer);
    estimate_response(incoming.api, &inspected, tokenizer)
}

/// Returns the request whose tokens are counted, if a Gemini client sends it in `generateContentRequest` instead of
/// sending its contents; `None` otherwise.
fn inner_request(incoming: &Incoming) -> Option<Bytes> {
    #[derive(serde::Deserialize)]
    struct Wrapped<'a> {
        #[serde(borrow, alias = "generate_content_request", rename = "generateContentRequest")]
        request: &'a serde_json::value::RawValue,
    }
    if incoming.api != WireApi::Gemini {
        return None;
    }
    let wrapped: Wrapped<'_> = serde_json::from_slice(&incoming.body).ok()?;
    Some(incoming.body.slice_ref(wrapped.request.get().as_bytes()))
}

/// Sends the prompt to the token-counting endpoint of the provider of `model`, and returns its response; `None` if the provider does not support the
/// client's API, has no key or fails.
async fn request_provider_count(
    gateway: &Gateway,
    incoming: &Incoming,
    summary: &RequestSummary<'_>,
    model: &ModelSpec,
) -> Option<Response<ResponseBody>> {
    let providers = gateway.providers();
    let provider = providers.get(model.provider.as_str())?;
    let has_key = model.configured || gateway.client_key_provider(incoming).is_some_and(|own| own == model.provider);
    if incoming.api != WireApi::AnthropicMessages || !model.apis.contains(&incoming.api) || !has_key {
        return None;
    }
    let edit = set_model(summary, model.id.model());
    let request = UpstreamRequest {
        api: incoming.api,
        operation: Operation::CountTokens,
        model: model.id.model(),
        stream: false,
        body: Bytes::from(apply_edits(&incoming.body, edit.into_iter().collect())),
        client: Some(ClientRequestParts { headers: &incoming.headers, query: incoming.query.as_deref() }),
        timeouts: gateway.timeouts().response(),
        retry: RetryBudget::NONE,
        retry_until: None,
    };
    let response = provider.send(&request).await.ok()?;
    let body = Limited::new(response.body, MAX_RESPONSE_BYTES).collect().await.ok()?.to_bytes();
    is_object_with(&body, "input_tokens").then(|| json_response(body))
}

/// Responds with an estimated token count, marked by the header `x-turnwise-estimate`.
fn estimate_response(api: WireApi, summary: &RequestSummary<'_>, tokenizer: Tokenizer) -> Response<ResponseBody> {
    let tokens = estimate_for_each_tokenizer(&prompt_shape(summary)).for_tokenizer(tokenizer);
    let name = if api == WireApi::Gemini { "totalTokens" } else { "input_tokens" };
    let mut response = json_response(Bytes::from(format!("{{\"{name}\":{tokens}}}")));
    response.headers_mut().insert("x-turnwise-estimate", HeaderValue::from_static("true"));
    response
}
