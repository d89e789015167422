//! Builds the headers of a request to a provider.

use contracts::WireApi;
use hyper::{
    HeaderMap,
    header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, USER_AGENT},
};

use crate::{
    USER_AGENT_VALUE,
    credential::{Credential, KEY_HEADERS},
    provider::{Operation, UpstreamRequest},
    redaction::allowed_headers,
};

/// Header for the key in the Anthropic API.
const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Header for the key in the Gemini API.
const X_GOOG_API_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");
/// The account of a `ChatGPT` login. Clients with a login send it beside their bearer token.
const LOGIN_ACCOUNT: HeaderName = HeaderName::from_static("chatgpt-account-id");
/// Header for the version of the Anthropic API.
const ANTHROPIC_VERSION: HeaderName = HeaderName::from_static("anthropic-version");

/// Returns the headers of a request to a provider: the forwarded headers of the client, the content type, and the API
/// key. They demand an uncompressed response.
pub(super) fn request_headers(credential: &Credential, request: &UpstreamRequest<'_>) -> HeaderMap {
    let mut headers = match request.client {
        Some(client) => forwarded_headers(client.headers),
        None => HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE))]),
    };
    if request.operation != Operation::ListModels {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let accept = if request.stream { "text/event-stream" } else { "application/json" };
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static(accept));
    // A compressed response could not be observed while it is forwarded.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if request.api == WireApi::AnthropicMessages {
        headers.entry(ANTHROPIC_VERSION).or_insert(HeaderValue::from_static("2023-06-01"));
    }
    insert_key(&mut headers, credential, request);
    headers
}

/// Returns whether a request is forwarded with the client's own login, which has another URL than a key.
pub(super) fn is_login(credential: &Credential, request: &UpstreamRequest<'_>) -> bool {
    credential.is_clients_own() && request.client.as_ref().is_some_and(|client| has_chatgpt_login(client.headers))
}

/// Returns whether the headers of a client's request carry a `ChatGPT` login instead of a key.
#[must_use]
pub fn has_chatgpt_login(headers: &HeaderMap) -> bool {
    headers.contains_key(&LOGIN_ACCOUNT)
}

/// Returns the client's headers without those of its connection, its keys and turnwise.
fn forwarded_headers(client: &HeaderMap) -> HeaderMap {
    allowed_headers(client, is_forwarded)
}

/// Inserts the provider's API key into the header that its API expects. Without a configured key the client's key
/// headers are forwarded, unless the provider needs no key.
fn insert_key(headers: &mut HeaderMap, credential: &Credential, request: &UpstreamRequest<'_>) {
    if !credential.is_clients_own() {
        // These headers belong to the client's own key or login.
        headers.remove("openai-organization");
        headers.remove("openai-project");
        headers.remove(LOGIN_ACCOUNT);
    }
    if let Some(secret) = credential.secret() {
        match request.api {
            WireApi::AnthropicMessages => headers.insert(X_API_KEY, secret.plain.clone()),
            WireApi::Gemini => headers.insert(X_GOOG_API_KEY, secret.plain.clone()),
            WireApi::OpenAiChat | WireApi::OpenAiResponses => headers.insert(AUTHORIZATION, secret.bearer.clone()),
        };
    } else if credential.is_clients_own()
        && let Some(client) = request.client
    {
        for name in KEY_HEADERS {
            if let Some(value) = client.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
    }
}

/// Returns whether a header of the client is forwarded to the provider: headers about the request, the client and its
/// session are; keys, cookies, and headers of the connection and of turnwise are not.
fn is_forwarded(name: &HeaderName) -> bool {
    const NAMES: [&str; 19] = [
        "accept",
        "accept-language",
        "chatgpt-account-id",
        "conversation-id",
        "conversation_id",
        "http-referer",
        "idempotency-key",
        "originator",
        "session-id",
        "session_id",
        "thread-id",
        "traceparent",
        "tracestate",
        "user-agent",
        "version",
        "x-app",
        "x-initiator",
        "x-request-id",
        "x-title",
    ];
    const PREFIXES: [&str; 11] = [
        "anthropic-",
        "openai-",
        "x-claude-",
        "x-client-",
        "x-codex-",
        "x-gemini-",
        "x-goog-",
        "x-openai-",
        "x-parent-",
        "x-session-",
        "x-stainless-",
    ];
    let text = name.as_str();
    let is_known = NAMES.contains(&text) || PREFIXES.iter().any(|prefix| text.starts_with(prefix));
    is_known && !KEY_HEADERS.contains(name)
}
