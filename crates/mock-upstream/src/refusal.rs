//! What is wrong with a request, in the words and the shape of the API that it came by.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::route::Api;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// `OpenAI`'s `param`: the field that is wrong.
    field: Option<String>,
    /// `OpenAI`'s `code`.
    code: Option<&'static str>,
}

impl Refusal {
    /// A refusal with a status of its own.
    pub(crate) fn of(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), field: None, code: None }
    }

    /// The request is wrong.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::of(StatusCode::BAD_REQUEST, message)
    }

    /// The request lacks or has a wrong field.
    pub(crate) fn field(name: &str, message: impl Into<String>) -> Self {
        Self { field: Some(name.to_owned()), ..Self::invalid(message) }
    }

    pub(crate) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// There is no such model.
    pub(crate) fn no_model(api: Api, model: &str) -> Self {
        let message = match api {
            Api::Anthropic => format!("model: {model}"),
            Api::Chat | Api::Responses => {
                format!("The model `{model}` does not exist or you do not have access to it.")
            }
            Api::Gemini => format!("models/{model} is not found for API version v1beta."),
        };
        Self { code: Some("model_not_found"), ..Self::of(StatusCode::NOT_FOUND, message) }
    }

    /// Nobody said who asks.
    pub(crate) fn no_credentials(api: Api) -> Self {
        let message = match api {
            Api::Anthropic => "x-api-key header is required",
            Api::Chat | Api::Responses => "You didn't provide an API key.",
            Api::Gemini => "Method doesn't allow unregistered callers.",
        };
        Self { code: Some("invalid_api_key"), ..Self::of(StatusCode::UNAUTHORIZED, message) }
    }

    /// The body of the answer.
    pub(crate) fn body(&self, api: Api, number: u64) -> Value {
        match api {
            Api::Anthropic => json!({
                "type": "error",
                "error": {"type": anthropic_kind(self.status), "message": self.message},
                "request_id": format!("req_mock_{number:08}"),
            }),
            Api::Chat | Api::Responses => json!({"error": {
                "message": self.message,
                "type": openai_kind(self.status),
                "param": self.field,
                "code": self.code.or_else(|| (self.status == StatusCode::TOO_MANY_REQUESTS).then_some("rate_limit_exceeded")),
            }}),
            Api::Gemini => json!({"error": {
                "code": self.status.as_u16(),
                "message": self.message,
                "status": gemini_kind(self.status),
            }}),
        }
    }
}

/// Anthropic's name of a kind of error, as its documentation lists them.
pub(crate) fn anthropic_kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        504 => "timeout_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// `OpenAI`'s name of a kind of error.
pub(crate) fn openai_kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        429 => "requests",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

/// Google's name of a kind of error.
pub(crate) fn gemini_kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        504 => "DEADLINE_EXCEEDED",
        501.. => "UNAVAILABLE",
        _ => "INVALID_ARGUMENT",
    }
}
