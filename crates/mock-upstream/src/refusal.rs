//! Error responses in the shape of each API.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::route::Api;

/// An error response, independent of the API in which it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// `OpenAI`'s `param`: the name of the wrong field.
    field: Option<String>,
    /// `OpenAI`'s `code`.
    code: Option<&'static str>,
}

impl Refusal {
    /// Returns an error with a status.
    pub(crate) fn of(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), field: None, code: None }
    }

    /// Returns an error about the request.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::of(StatusCode::BAD_REQUEST, message)
    }

    /// Returns an error about one field.
    pub(crate) fn field(name: &str, message: impl Into<String>) -> Self {
        Self { field: Some(name.to_owned()), ..Self::invalid(message) }
    }

    pub(crate) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Returns the error of an API for an unknown model.
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

    /// Returns the error of an API for missing credentials.
    pub(crate) fn no_credentials(api: Api) -> Self {
        let message = match api {
            Api::Anthropic => "x-api-key header is required",
            Api::Chat | Api::Responses => "You didn't provide an API key.",
            Api::Gemini => "Method doesn't allow unregistered callers.",
        };
        Self { code: Some("invalid_api_key"), ..Self::of(StatusCode::UNAUTHORIZED, message) }
    }

    /// Returns the error body in the format of an API; `number` is the number of the request.
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

/// Returns Anthropic's error type for a status, according to its documentation.
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

/// Returns `OpenAI`'s error type for a status.
pub(crate) fn openai_kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        429 => "requests",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

/// Returns Google's error status for an HTTP status.
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
