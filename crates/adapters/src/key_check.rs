//! Checks whether a provider accepts its key, with a request that costs nothing.

use std::{error::Error, time::Duration};

use contracts::WireApi;
use http_body_util::Full;
use hyper::{
    Request, StatusCode,
    body::Bytes,
    header::{AUTHORIZATION, USER_AGENT},
};

use crate::{USER_AGENT_VALUE, http_client::HttpClient, providers::ProviderConfig};

/// The result of checking the API key of a provider with a request to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCheck {
    /// The provider accepted the key: its response was successful.
    Accepted,
    /// The provider rejected the key, with this status: 401, 402 or 403.
    Refused(u16),
    /// The provider answered with another error, so that the key was not checked.
    Unexpected(u16),
    /// The provider did not respond. Contains the cause.
    Unreachable(String),
}

/// Checks the API key of a provider: requests its list of models with the configured key. `openrouter.ai` lists models
/// without a key, so the description of the key is requested there instead. A provider that does not respond within
/// `limit` counts as unreachable.
pub async fn check_key(config: &ProviderConfig, client: &HttpClient, limit: Duration) -> KeyCheck {
    let Some(request) = models_request(config) else {
        return KeyCheck::Unreachable(format!("`{}` is no URL", config.url));
    };
    match tokio::time::timeout(limit, client.request(request)).await {
        Ok(Ok(response)) => match response.status() {
            status if status.is_success() => KeyCheck::Accepted,
            status @ (StatusCode::UNAUTHORIZED | StatusCode::PAYMENT_REQUIRED | StatusCode::FORBIDDEN) => {
                KeyCheck::Refused(status.as_u16())
            }
            status => KeyCheck::Unexpected(status.as_u16()),
        },
        Ok(Err(error)) => KeyCheck::Unreachable(last_cause(&error)),
        Err(_) => KeyCheck::Unreachable(format!("no answer within {} s", limit.as_secs())),
    }
}

/// Creates the HTTP request that checks the key of a provider; `None` if the URL of the provider is invalid.
fn models_request(config: &ProviderConfig) -> Option<Request<Full<Bytes>>> {
    let api = config.apis.first().copied().unwrap_or(WireApi::OpenAiChat);
    let request = Request::get(models_url(&config.url, api)).header(USER_AGENT, USER_AGENT_VALUE);
    let secret = config.credential.secret();
    let request = match (api, secret) {
        (WireApi::AnthropicMessages, Some(secret)) => request.header("x-api-key", &secret.plain),
        (WireApi::Gemini, Some(secret)) => request.header("x-goog-api-key", &secret.plain),
        (WireApi::OpenAiChat | WireApi::OpenAiResponses, Some(secret)) => request.header(AUTHORIZATION, &secret.bearer),
        (_, None) => request,
    };
    request.header("anthropic-version", "2023-06-01").body(Full::default()).ok()
}

/// Returns the URL that is requested to check a key: the provider's list of models, or for `openrouter.ai` the
/// description of the key. `base` is the base URL of the provider, with or without the API's version.
fn models_url(base: &str, api: WireApi) -> String {
    let version = |version: &'static str| if base.ends_with(version) { "" } else { version };
    match api {
        WireApi::AnthropicMessages => format!("{base}{}/models", version("/v1")),
        WireApi::Gemini => format!("{base}{}/models", version("/v1beta")),
        _ if base.contains("//openrouter.ai/") => format!("{base}/key"),
        WireApi::OpenAiChat | WireApi::OpenAiResponses => format!("{base}/models"),
    }
}

/// Returns the innermost cause of an error, which names the reason, such as `Connection refused`.
fn last_cause(error: &dyn Error) -> String {
    let mut innermost_cause = error;
    while let Some(cause) = innermost_cause.source() {
        innermost_cause = cause;
    }
    innermost_cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_api_has_its_list_of_models() {
        let anthropic = WireApi::AnthropicMessages;
        assert_eq!(models_url("https://api.anthropic.com", anthropic), "https://api.anthropic.com/v1/models");
        assert_eq!(models_url("https://a/v1", anthropic), "https://a/v1/models");
        assert_eq!(models_url("https://g", WireApi::Gemini), "https://g/v1beta/models");
        assert_eq!(
            models_url("https://api.openai.com/v1", WireApi::OpenAiResponses),
            "https://api.openai.com/v1/models"
        );
        assert_eq!(models_url("https://openrouter.ai/api/v1", WireApi::OpenAiChat), "https://openrouter.ai/api/v1/key");
    }
}
