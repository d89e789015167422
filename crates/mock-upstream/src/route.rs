//! Routing: resolves method and path to an endpoint.

use hyper::{Method, Uri};

/// The wire API of a request to the mock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Api {
    /// Anthropic's Messages API.
    Anthropic,
    /// `OpenAI`'s Chat Completions API.
    Chat,
    /// `OpenAI`'s Responses API.
    Responses,
    /// Google's `generateContent` API.
    Gemini,
}

/// The endpoint of a request to the mock, with the parameters in its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// Generates a response; model and streaming are in the body.
    Generate(Api),
    /// Generates a response of Gemini; model and form are in the path.
    GenerateGemini { model: String, form: GeminiForm },
    /// Counts the tokens of a request.
    CountTokens(Api),
    /// Lists all models, or describes the one with the name `model`.
    Models { api: Api, model: Option<String> },
    /// The health check at `/`.
    Root,
    /// A protocol upgrade, which the mock rejects.
    Upgrade,
    /// A control endpoint, with the part of its path after `/control/`.
    Control(String),
    /// Any other method or path.
    Unknown,
}

/// The form of a Gemini response, which the action in the path and the query parameter `alt` select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeminiForm {
    /// One JSON object, not streamed.
    Whole,
    /// A stream of server-sent events.
    Events,
    /// A stream of the elements of one JSON array.
    Array,
}

/// Resolves method and path to an endpoint. `is_upgrade` is whether the request asks for a protocol upgrade. The query
/// is ignored except for Gemini's `alt`.
pub(crate) fn resolve_endpoint(method: &Method, uri: &Uri, is_upgrade: bool) -> Endpoint {
    let path = uri.path();
    if is_upgrade {
        return Endpoint::Upgrade;
    }
    if let Some(rest) = path.strip_prefix("/control/") {
        return Endpoint::Control(rest.to_owned());
    }
    match (method, path) {
        (&Method::POST, "/v1/messages") => Endpoint::Generate(Api::Anthropic),
        (&Method::POST, "/v1/messages/count_tokens") => Endpoint::CountTokens(Api::Anthropic),
        (&Method::POST, "/v1/chat/completions") => Endpoint::Generate(Api::Chat),
        // The second one is that of clients with a ChatGPT login.
        (&Method::POST, "/v1/responses" | "/backend-api/codex/responses") => Endpoint::Generate(Api::Responses),
        (&Method::GET, "/v1/models") => Endpoint::Models { api: Api::Chat, model: None },
        (&Method::GET, "/backend-api/codex/models") => Endpoint::Models { api: Api::Responses, model: None },
        (&Method::GET, "/v1beta/models") => Endpoint::Models { api: Api::Gemini, model: None },
        (&Method::GET | &Method::HEAD, "/") => Endpoint::Root,
        (&Method::GET, _) => model_endpoint(path),
        (&Method::POST, _) => gemini_endpoint(path, uri.query().unwrap_or_default()),
        _ => Endpoint::Unknown,
    }
}

/// Resolves the path of a GET request to the description of a model; [`Endpoint::Unknown`] for other paths.
fn model_endpoint(path: &str) -> Endpoint {
    for (prefix, api) in [("/v1/models/", Api::Chat), ("/v1beta/models/", Api::Gemini)] {
        if let Some(model) = path.strip_prefix(prefix) {
            return Endpoint::Models { api, model: Some(model.to_owned()) };
        }
    }
    Endpoint::Unknown
}

/// Resolves the path and query of a POST request to an action of a Gemini model; [`Endpoint::Unknown`] for other paths.
fn gemini_endpoint(path: &str, query: &str) -> Endpoint {
    let model_and_action = path.strip_prefix("/v1beta/models/").or_else(|| path.strip_prefix("/v1/models/"));
    let Some((model, action)) = model_and_action.and_then(|model_and_action| model_and_action.rsplit_once(':')) else {
        return Endpoint::Unknown;
    };
    let model = model.to_owned();
    match action {
        "generateContent" => Endpoint::GenerateGemini { model, form: GeminiForm::Whole },
        "streamGenerateContent" if query.split('&').any(|pair| pair == "alt=sse") => {
            Endpoint::GenerateGemini { model, form: GeminiForm::Events }
        }
        "streamGenerateContent" => Endpoint::GenerateGemini { model, form: GeminiForm::Array },
        "countTokens" => Endpoint::CountTokens(Api::Gemini),
        _ => Endpoint::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the endpoint of a request without an upgrade.
    fn asked(method: &Method, uri: &'static str) -> Endpoint {
        resolve_endpoint(method, &Uri::from_static(uri), false)
    }

    #[test]
    fn queries_are_ignored_but_for_the_form_of_a_stream() {
        assert_eq!(asked(&Method::POST, "/v1/messages?beta=true"), Endpoint::Generate(Api::Anthropic));
        let events = asked(&Method::POST, "/v1beta/models/gemini-3-pro:streamGenerateContent?key=k&alt=sse");
        assert_eq!(events, Endpoint::GenerateGemini { model: "gemini-3-pro".to_owned(), form: GeminiForm::Events });
        let array = asked(&Method::POST, "/v1beta/models/gemini-3-pro:streamGenerateContent");
        assert_eq!(array, Endpoint::GenerateGemini { model: "gemini-3-pro".to_owned(), form: GeminiForm::Array });
    }

    /// A path with a method that it does not support is unknown.
    #[test]
    fn a_method_that_is_not_known_is_no_request_for_an_answer() {
        assert_eq!(asked(&Method::PUT, "/v1/messages"), Endpoint::Unknown);
        assert_eq!(asked(&Method::GET, "/v1/messages"), Endpoint::Unknown);
        assert_eq!(asked(&Method::HEAD, "/"), Endpoint::Root);
    }
}
