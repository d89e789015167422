//! Error responses in the JSON of each API.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::route::Api;

/// An error response of the mock, independent of the API. [`ApiError::body`] writes it in the JSON of an API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    /// The HTTP status.
    pub(crate) status: StatusCode,
    /// The message for the client.
    pub(crate) message: String,
    /// The name of the invalid field, which `OpenAI` calls `param`.
    field: Option<String>,
    /// The `code` in errors of `OpenAI`.
    code: Option<&'static str>,
}

impl ApiError {
    /// Creates an error with an HTTP status and a message for the client.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), field: None, code: None }
    }

    /// Creates the error for an invalid request, with status 400.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// Creates the error for an invalid field of a request, with status 400.
    pub(crate) fn invalid_field(name: &str, message: impl Into<String>) -> Self {
        Self { field: Some(name.to_owned()), ..Self::invalid(message) }
    }

    /// Sets the `code` in errors of `OpenAI`.
    pub(crate) fn with_code(self, code: &'static str) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Creates the error for an unknown model, with status 404 and the message of the API's provider.
    pub(crate) fn unknown_model(api: Api, model: &str) -> Self {
        let message = match api {
            Api::Anthropic => format!("model: {model}"),
            Api::Chat | Api::Responses => {
                format!("The model `{model}` does not exist or you do not have access to it.")
            }
            Api::Gemini => format!("models/{model} is not found for API version v1beta."),
        };
        Self { code: Some("model_not_found"), ..Self::new(StatusCode::NOT_FOUND, message) }
    }

    /// Creates the error for missing credentials, with status 401 and the message of the API's provider.
    pub(crate) fn missing_credentials(api: Api) -> Self {
        let message = match api {
            Api::Anthropic => "x-api-key header is required",
            Api::Chat | Api::Responses => "You didn't provide an API key.",
            Api::Gemini => "Method doesn't allow unregistered callers.",
        };
        Self { code: Some("invalid_api_key"), ..Self::new(StatusCode::UNAUTHORIZED, message) }
    }

    /// Returns the body of the error response in the JSON of an API; `request_number` is part of Anthropic's request
    /// id.
    pub(crate) fn body(&self, api: Api, request_number: u64) -> Value {
        match api {
            Api::Anthropic => json!({
                "type": "error",
                "error": {"type": anthropic_type(self.status), "message": self.message},
                "request_id": format!("req_mock_{request_number:08}"),
            }),
            Api::Chat | Api::Responses => json!({"error": {
                "message": self.message,
                "type": openai_type(self.status),
                "param": self.field,
                "code": self.code.or_else(|| (self.status == StatusCode::TOO_MANY_REQUESTS).then_some("rate_limit_exceeded")),
            }}),
            Api::Gemini => json!({"error": {
                "code": self.status.as_u16(),
                "message": self.message,
                "status": gemini_status(self.status),
            }}),
        }
    }
}

/// Returns the error type that Anthropic documents for an HTTP status.
pub(crate) fn anthropic_type(status: StatusCode) -> &'static str {
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

/// Returns the error type that `OpenAI` returns with an HTTP status.
pub(crate) fn openai_type(status: StatusCode) -> &'static str {
    match status.as_u16() {
        429 => "requests",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

/// Returns the status name that Google returns with an HTTP status. The gateway uses the same names for its own errors;
/// neither crate uses the other, and a test of the gateway compares them.
pub fn gemini_status(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        408 | 504 => "DEADLINE_EXCEEDED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        400..=499 => "INVALID_ARGUMENT",
        501 => "UNIMPLEMENTED",
        502 | 503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}
