//! `GET /v1/models`: the model names that a client can request.

use std::time::Duration;

use adapters::{ClientRequestParts, Operation, RetryBudget, UpstreamRequest, has_chatgpt_login};
use contracts::WireApi;
use http_body_util::{BodyExt as _, Limited};
use hyper::{HeaderMap, Response, StatusCode, body::Bytes};
use tokio::time::timeout;

use crate::{
    body::{ResponseBody, json_response},
    embeddings::is_object_with,
    exchange::error_response,
    gateway::Gateway,
};

/// The timeout of the list that the provider of a login sends. Codex requests it when it starts.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The largest accepted list of a provider, in bytes: Codex's list has the instructions of every model.
const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;

/// Handles `GET /v1/models` and the paths of single models, with the query `query` and the headers `headers`. A client
/// with a `ChatGPT` login receives the list of its own provider, whose format it expects; everyone else, and every
/// client if that provider fails, the list of [`list_own_models`].
pub(crate) async fn list_models(
    gateway: &Gateway,
    path: &str,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Response<ResponseBody> {
    if has_chatgpt_login(headers)
        && let Ok(Some(body)) = timeout(TIMEOUT, models_of_login(gateway, query, headers)).await
    {
        return json_response(body);
    }
    list_own_models(gateway, path).await
}

/// Requests the list of models from the provider of a `ChatGPT` login; `None` if it has a key instead, fails, or
/// responds with something else. Nothing is recorded.
async fn models_of_login(gateway: &Gateway, query: Option<&str>, headers: &HeaderMap) -> Option<Bytes> {
    let providers = gateway.providers();
    let provider = providers.get("openai").filter(|provider| provider.config().credential.is_clients_own())?;
    let request = UpstreamRequest {
        api: WireApi::OpenAiResponses,
        operation: Operation::ListModels,
        model: "",
        stream: false,
        body: Bytes::new(),
        client: Some(ClientRequestParts { headers, query }),
        timeouts: gateway.timeouts().response(),
        retry: RetryBudget::NONE,
        retry_until: None,
    };
    let response = provider.send(&request).await.ok()?;
    let body = Limited::new(response.body, MAX_RESPONSE_BYTES).collect().await.ok()?.to_bytes();
    is_object_with(&body, "models").then_some(body)
}

/// Lists the names of all models in the registry, and the names with which a client leaves
/// the choice to the policy, such as `turnwise` and `auto`. If the path contains one of these names, lists only that
/// one. Responds with 404 to any other name, and with 503 if the bus has ended.
async fn list_own_models(gateway: &Gateway, path: &str) -> Response<ResponseBody> {
    let names = gateway
        .bus()
        .query(|engine| {
            let registry = &engine.models().registry;
            let autos = registry.auto_names().map(str::to_owned).collect::<Vec<_>>();
            let models = registry.iter().map(|model| model.id.model().to_owned());
            let mut names: Vec<String> = autos.into_iter().chain(models).collect();
            let mut seen = std::collections::BTreeSet::new();
            names.retain(|name| seen.insert(name.clone()));
            names
        })
        .await;
    let Ok(names) = names else {
        let mut response = Response::new(ResponseBody::complete(""));
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return response;
    };
    let requested = path.rsplit_once("models/").map(|(_, name)| name).filter(|name| !name.is_empty());
    let list = match requested {
        None => Some(wire::models_list(names.iter().map(String::as_str))),
        Some(requested) => names.iter().find(|name| *name == requested).map(|name| wire::models_list([name.as_str()])),
    };
    match list {
        Some(body) => json_response(body),
        None => error_response(WireApi::OpenAiChat, 404, "not_found_error", "no model has that name"),
    }
}
