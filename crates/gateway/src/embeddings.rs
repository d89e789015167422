//! Forwards requests for embeddings to the provider of their model. They are neither decided nor recorded.

use std::sync::Arc;

use adapters::{ClientRequestParts, Operation, UpstreamRequest};
use contracts::{ModelId, WireApi};
use http_body_util::{BodyExt as _, Collected, Limited};
use hyper::{
    Response,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderValue},
};
use serde_json::Value;

use crate::{
    body::ResponseBody,
    exchange::{Incoming, error_response},
    gateway::Gateway,
};

/// The provider of a model without a provider in its name that the catalogue does not contain.
const DEFAULT_PROVIDER: &str = "openai";

/// Forwards a client's request for embeddings to the provider of its model, which is `provider:model` or the name of a
/// model of OpenAI. Responds with the provider's response, or with status 400 if the model has no provider with a key.
pub(crate) async fn embed(gateway: &Arc<Gateway>, incoming: Incoming) -> Response<ResponseBody> {
    let refuse = |message: String| error_response(incoming.api, 400, "invalid_request_error", &message);
    let Ok(mut body) = serde_json::from_slice::<Value>(&incoming.body) else {
        return refuse("turnwise: the request is not JSON".to_owned());
    };
    let Some(named) = body["model"].as_str().map(str::to_owned) else {
        return refuse("turnwise: the request names no model".to_owned());
    };
    let id = ModelId::try_from(named.as_str()).ok();
    let (provider_name, model) =
        id.as_ref().map_or((DEFAULT_PROVIDER, named.as_str()), |id| (id.provider(), id.model()));
    let own_provider = gateway.client_key_provider(&incoming);
    let providers = gateway.providers();
    let provider = providers.get(provider_name);
    let provider = provider.filter(|provider| {
        let has_client_key = own_provider.as_ref().is_some_and(|own| own.as_str() == provider_name);
        !provider.config().credential.is_clients_own() || has_client_key
    });
    let Some(provider) = provider else {
        return refuse(format!(
            "turnwise: the provider `{}` has no key, or is not configured",
            provider_name.escape_debug()
        ));
    };
    let forwarded = if id.is_some() {
        body["model"] = model.into();
        Bytes::from(body.to_string())
    } else {
        incoming.body.clone()
    };
    let request = UpstreamRequest {
        api: WireApi::OpenAiChat,
        operation: Operation::Embed,
        model,
        stream: false,
        body: forwarded,
        client: Some(ClientRequestParts { headers: &incoming.headers, query: incoming.query.as_deref() }),
        timeouts: gateway.timeouts().response(),
        // A request for embeddings changes nothing at the provider, so a lost connection is retried.
        retry: gateway.timeouts().retry(),
        retry_until: None,
    };
    let (status, body) = match provider.send(&request).await {
        Ok(response) => match Limited::new(response.body, gateway.limits().answer_bytes)
            .collect()
            .await
            .map(Collected::to_bytes)
        {
            Ok(body) if is_object_with(&body, "data") => (response.status, body),
            Ok(_) => {
                let message = format!("turnwise: the response of {provider_name} has no embeddings");
                return error_response(incoming.api, 502, "api_error", &message);
            }
            Err(error) => {
                return error_response(incoming.api, 502, "api_error", &format!("turnwise: {provider_name}: {error}"));
            }
        },
        Err(failure) => {
            let status = failure.status.filter(|_| is_object_with(&failure.body, "error"));
            let Some(status) = status else {
                let message = format!("turnwise: {provider_name} failed ({})", failure.class.name());
                return error_response(incoming.api, 502, "api_error", &message);
            };
            (status, failure.body)
        }
    };
    let mut response = Response::new(ResponseBody::complete(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns whether a response body is a JSON object that has the member `member`.
pub(crate) fn is_object_with(body: &[u8], member: &str) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|body| body.get(member).is_some())
}
