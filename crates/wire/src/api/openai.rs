//! The parts that chat completions and Responses share: inspection of content parts, tools and settings, the usage
//! object, and the format of errors.

use contracts::events::ErrorClass;
use serde_json::{Value as Json, json};

mod inspect_parts;
mod inspect_settings;
mod inspect_tools;
pub(super) mod usage;

pub(super) use inspect_settings::is_verbose;

/// Returns the name of an error class in `OpenAI`'s two APIs; `server_error` for classes without a name of their own.
pub(super) const fn error_kind(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::RateLimit => "rate_limit_exceeded",
        ErrorClass::ModelNotFound => "model_not_found",
        ErrorClass::Auth | ErrorClass::ClientKey => "invalid_api_key",
        ErrorClass::InvalidRequest => "invalid_request_error",
        ErrorClass::ContextOverflow => "context_length_exceeded",
        ErrorClass::ContentFilter => "content_filter",
        _ => "server_error",
    }
}

/// Returns the JSON body of an error response of `OpenAI`'s two APIs. `kind` is the name of the error, written as its
/// `type` and its `code`.
pub(super) fn error_body(kind: &str, message: &str) -> Json {
    json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
}
