//! Resolves a method and a path to an endpoint.

use hyper::{Method, Uri};

/// A wire API that the mock implements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

/// An endpoint of the mock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Generate a response.
    Generate(Api),
    /// Generate a response of the model in the path.
    GenerateGemini { model: String, how: GeminiStream },
    /// Count tokens.
    Count(Api),
    /// List models, or describe one.
    Models { api: Api, one: Option<String> },
    /// Health check.
    Root,
    /// A protocol upgrade.
    Upgrade,
    /// A control endpoint: the path after `/control/`.
    Control(String),
    /// Unknown.
    Unknown,
}

/// The form in which Gemini's API sends a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeminiStream {
    Whole,
    /// Server-sent events.
    Events,
    /// One JSON array.
    Array,
}

/// Resolves method and path to an endpoint. Of the query only Gemini's `alt` is used.
pub(crate) fn endpoint(method: &Method, uri: &Uri, upgrade: bool) -> Endpoint {
    let path = uri.path();
    if upgrade {
        return Endpoint::Upgrade;
    }
    if let Some(rest) = path.strip_prefix("/control/") {
        return Endpoint::Control(rest.to_owned());
    }
    match (method, path) {
        (&Method::POST, "/v1/messages") => Endpoint::Generate(Api::Anthropic),
        (&Method::POST, "/v1/messages/count_tokens") => Endpoint::Count(Api::Anthropic),
        (&Method::POST, "/v1/chat/completions") => Endpoint::Generate(Api::Chat),
        (&Method::POST, "/v1/responses") => Endpoint::Generate(Api::Responses),
        (&Method::GET, "/v1/models") => Endpoint::Models { api: Api::Chat, one: None },
        (&Method::GET, "/v1beta/models") => Endpoint::Models { api: Api::Gemini, one: None },
        (&Method::GET | &Method::HEAD, "/") => Endpoint::Root,
        (&Method::GET, _) => one_model(path),
        (&Method::POST, _) => gemini(path, uri.query().unwrap_or_default()),
        _ => Endpoint::Unknown,
    }
}

fn one_model(path: &str) -> Endpoint {
    for (prefix, api) in [("/v1/models/", Api::Chat), ("/v1beta/models/", Api::Gemini)] {
        if let Some(model) = path.strip_prefix(prefix) {
            return Endpoint::Models { api, one: Some(model.to_owned()) };
        }
    }
    Endpoint::Unknown
}

fn gemini(path: &str, query: &str) -> Endpoint {
    let named = path.strip_prefix("/v1beta/models/").or_else(|| path.strip_prefix("/v1/models/"));
    let Some((model, action)) = named.and_then(|named| named.rsplit_once(':')) else {
        return Endpoint::Unknown;
    };
    let model = model.to_owned();
    match action {
        "generateContent" => Endpoint::GenerateGemini { model, how: GeminiStream::Whole },
        "streamGenerateContent" if query.split('&').any(|pair| pair == "alt=sse") => {
            Endpoint::GenerateGemini { model, how: GeminiStream::Events }
        }
        "streamGenerateContent" => Endpoint::GenerateGemini { model, how: GeminiStream::Array },
        "countTokens" => Endpoint::Count(Api::Gemini),
        _ => Endpoint::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: &Method, uri: &'static str) -> Endpoint {
        endpoint(method, &Uri::from_static(uri), false)
    }

    #[test]
    fn queries_are_ignored_but_for_the_form_of_a_stream() {
        assert_eq!(asked(&Method::POST, "/v1/messages?beta=true"), Endpoint::Generate(Api::Anthropic));
        let events = asked(&Method::POST, "/v1beta/models/gemini-3-pro:streamGenerateContent?key=k&alt=sse");
        assert_eq!(events, Endpoint::GenerateGemini { model: "gemini-3-pro".to_owned(), how: GeminiStream::Events });
        let array = asked(&Method::POST, "/v1beta/models/gemini-3-pro:streamGenerateContent");
        assert_eq!(array, Endpoint::GenerateGemini { model: "gemini-3-pro".to_owned(), how: GeminiStream::Array });
    }

    #[test]
    fn a_method_that_is_not_known_is_no_request_for_an_answer() {
        assert_eq!(asked(&Method::PUT, "/v1/messages"), Endpoint::Unknown);
        assert_eq!(asked(&Method::GET, "/v1/messages"), Endpoint::Unknown);
        assert_eq!(asked(&Method::HEAD, "/"), Endpoint::Root);
    }
}
