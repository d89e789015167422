//! Builds the URL of a request to a provider.

use contracts::WireApi;

use crate::provider::{Operation, UpstreamRequest};

/// Returns the URL of a request to a provider. `base` is the base URL of the provider without a slash at its end; it
/// may contain the API's version. The query of a forwarded request is appended.
pub(super) fn request_url(base: &str, request: &UpstreamRequest<'_>) -> String {
    let version = |version: &'static str| if base.ends_with(version) { "" } else { version };
    let mut url = match request.api {
        WireApi::AnthropicMessages => {
            let operation = match request.operation {
                Operation::Generate | Operation::Embed | Operation::ListModels => "",
                Operation::CountTokens => "/count_tokens",
            };
            format!("{base}{}/messages{operation}", version("/v1"))
        }
        WireApi::OpenAiChat if request.operation == Operation::Embed => format!("{base}/embeddings"),
        WireApi::OpenAiChat => format!("{base}/chat/completions"),
        WireApi::OpenAiResponses if request.operation == Operation::ListModels => format!("{base}/models"),
        WireApi::OpenAiResponses => format!("{base}/responses"),
        WireApi::Gemini => {
            let method = if request.stream { ":streamGenerateContent?alt=sse" } else { ":generateContent" };
            format!("{base}{}/models/{}{method}", version("/v1beta"), request.model)
        }
    };
    let query = request.client.and_then(|client| client.query).unwrap_or_default();
    for pair in query.split('&').filter(|pair| !pair.is_empty() && !is_replaced_parameter(request.api, pair)) {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(pair);
    }
    url
}

/// Returns whether a query parameter of the client is replaced: Gemini's query may contain the key and the response
/// format.
fn is_replaced_parameter(api: WireApi, pair: &str) -> bool {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    api == WireApi::Gemini && matches!(name, "key" | "alt")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contracts::WireApi;
    use hyper::{HeaderMap, body::Bytes};

    use super::request_url;
    use crate::{
        provider::{ClientRequestParts, Operation, ResponseTimeouts, UpstreamRequest},
        retry::RetryBudget,
    };

    fn url(base: &str, api: WireApi, stream: bool, query: Option<&str>) -> String {
        let headers = HeaderMap::new();
        let timeouts = ResponseTimeouts { first_byte: Duration::ZERO, idle: Duration::ZERO };
        let request = UpstreamRequest {
            api,
            operation: Operation::Generate,
            model: "m",
            stream,
            body: Bytes::new(),
            client: query.map(|query| ClientRequestParts { headers: &headers, query: Some(query) }),
            timeouts,
            retry: RetryBudget::NONE,
            retry_until: None,
        };
        request_url(base, &request)
    }

    #[test]
    fn the_clients_query_is_appended_without_the_parameters_that_are_set_here() {
        let gemini = |stream, query| url("https://g", WireApi::Gemini, stream, query);
        let query = Some("key=AI&beta=true&alt=json&%24fields=x");
        assert_eq!(
            gemini(true, query),
            "https://g/v1beta/models/m:streamGenerateContent?alt=sse&beta=true&%24fields=x"
        );
        assert_eq!(gemini(false, query), "https://g/v1beta/models/m:generateContent?beta=true&%24fields=x");
        assert_eq!(gemini(false, Some("key=AI")), "https://g/v1beta/models/m:generateContent");
        let messages = |query| url("https://a", WireApi::AnthropicMessages, true, query);
        assert_eq!(messages(Some("beta=true&key=1")), "https://a/v1/messages?beta=true&key=1");
        assert_eq!(messages(None), "https://a/v1/messages");
    }

    #[test]
    fn a_version_in_the_base_is_not_repeated() {
        assert_eq!(url("https://a/v1", WireApi::AnthropicMessages, false, None), "https://a/v1/messages");
        assert_eq!(url("https://o/v1", WireApi::OpenAiResponses, false, None), "https://o/v1/responses");
    }
}
