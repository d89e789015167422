//! Classifies the error of a call by the status and body of its response.

use std::borrow::Cow;

use contracts::{WireApi, events::ErrorClass};

use crate::json::{Cursor, Value};

/// The number of bytes at the start of a body that are searched.
const MAX_BYTES: usize = 64 * 1024;

/// Phrases and codes, in lower case, for a prompt that is longer than the model's context window.
const CONTEXT_OVERFLOW_PHRASES: [&str; 9] = [
    "prompt is too long",
    "context_length_exceeded",
    "context length",
    "context window",
    "exceed context limit",
    "too many tokens",
    "maximum number of tokens",
    "input token count",
    "reduce the length of the messages",
];

/// Phrases and codes, in lower case, for a response that a content filter withheld.
const WITHHELD_RESPONSE_PHRASES: [&str; 7] = [
    "content_filter",
    "content filter",
    "content_policy",
    "content policy",
    "usage policy",
    "usage policies",
    "responsible_ai",
];

/// Phrases, in lower case, by which a rejection by a moderation filter is recognised among responses with status 403;
/// others are about the key.
const MODERATED_PROMPT_PHRASES: [&str; 7] = [
    "moderation",
    "flagged",
    "content policy",
    "content_policy",
    "content filter",
    "content_filter",
    "usage guidelines",
];

/// Classifies an error of a provider by the HTTP status and the body of its response. `api` is the provider's API.
/// `status` is 0 for an error within a stream, which is classified by its names and message. A body that is not JSON is
/// searched as text.
pub fn classify(api: WireApi, status: u16, body: &[u8]) -> ErrorClass {
    let text = String::from_utf8_lossy(body.get(..MAX_BYTES).unwrap_or(body)).to_lowercase();
    let error = Cursor::new(&text).read_value().ok().map(|body| error_object(&body));
    let name = |value: Option<Value<'_>>| value.and_then(|value| value.string()).unwrap_or_default().into_owned();
    let [kind, code, state, message] =
        error.map_or([const { None }; 4], |error| error.get_many(["type", "code", "status", "message"]));
    let names = [name(kind), name(code), name(state)];
    let has_name = |searched_names: &[&str]| names.iter().any(|name| searched_names.contains(&name.as_str()));
    let message = message.and_then(|message| message.string()).map_or_else(|| text.clone(), Cow::into_owned);
    let mentions = |words: &[&str]| {
        words.iter().any(|words| message.contains(words) || names.iter().any(|name| name.contains(words)))
    };
    let is_about_the_request = matches!(status, 0..=299 | 400 | 404 | 413 | 422);
    if is_about_the_request && mentions(&CONTEXT_OVERFLOW_PHRASES) {
        return ErrorClass::ContextOverflow;
    }
    if is_about_the_request && mentions(&WITHHELD_RESPONSE_PHRASES) {
        return ErrorClass::ContentFilter;
    }
    // Some providers flag the account, not the prompt.
    if status == 403 && mentions(&MODERATED_PROMPT_PHRASES) && !message.contains("account") {
        return ErrorClass::ContentFilter;
    }
    if has_name(&["overloaded_error", "server_overloaded", "server_is_overloaded", "slow_down"]) {
        return ErrorClass::Overloaded;
    }
    // Google reports an invalid key with status 400.
    if status == 400 && mentions(crate::api::implementation(api).invalid_key_phrases()) {
        return ErrorClass::Auth;
    }
    if has_name(&["model_not_found", "deployment_not_found"])
        || (status == 404 && mentions(&["model", "not_found", "not found"]))
    {
        return ErrorClass::ModelNotFound;
    }
    class_by_status(status).unwrap_or_else(|| class_by_name(&has_name))
}

/// Returns the class of errors with an HTTP status; `None` if it is below 400 or above 599, which includes 0 for an
/// error without a status.
const fn class_by_status(status: u16) -> Option<ErrorClass> {
    Some(match status {
        429 => ErrorClass::RateLimit,
        // 402: payment required.
        401..=403 => ErrorClass::Auth,
        408 | 504 => ErrorClass::Timeout,
        413 => ErrorClass::ContextOverflow,
        499 => ErrorClass::Cancelled,
        503 | 529 => ErrorClass::Overloaded,
        400..=498 => ErrorClass::InvalidRequest,
        500..=599 => ErrorClass::ServerError,
        _ => return None,
    })
}

/// Classifies an error without an HTTP status by its type, code or status name; [`ErrorClass::Other`] if the name is
/// unknown. `has_name` returns whether the error has one of the given names.
fn class_by_name(has_name: &impl Fn(&[&str]) -> bool) -> ErrorClass {
    if has_name(&["rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "resource_exhausted"]) {
        ErrorClass::RateLimit
    } else if has_name(&["unavailable"]) {
        ErrorClass::Overloaded
    } else if has_name(&["api_error", "server_error", "internal", "internal_error", "internal_server_error"]) {
        ErrorClass::ServerError
    } else if has_name(&["timeout_error", "deadline_exceeded"]) {
        ErrorClass::Timeout
    } else if has_name(&["not_found_error", "not_found"]) {
        ErrorClass::ModelNotFound
    } else if has_name(&[
        "authentication_error",
        "permission_error",
        "invalid_api_key",
        "unauthenticated",
        "permission_denied",
    ]) {
        ErrorClass::Auth
    } else if has_name(&["invalid_request_error", "invalid_argument", "invalid_prompt"]) {
        ErrorClass::InvalidRequest
    } else {
        ErrorClass::Other
    }
}

/// Returns the error object in a response: `error`, or `response.error` in Responses. Gemini may send the response in a
/// list. The body itself is returned if it has no error object.
fn error_object<'a>(body: &Value<'a>) -> Value<'a> {
    let body = body.elements().next().unwrap_or(*body);
    let [error, response] = body.get_many(["error", "response"]);
    let inner = response.and_then(|response| response.get("error"));
    error.or(inner).filter(|error| !error.is_null()).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use contracts::{WireApi, events::ErrorClass};

    use super::classify;

    #[test]
    fn statuses_names_and_wording_give_the_class() {
        let check = |api, status: u16, body: &str, class| {
            assert_eq!(classify(api, status, body.as_bytes()), class, "{status} {body}");
        };
        let (anthropic, chat, gemini) = (WireApi::AnthropicMessages, WireApi::OpenAiChat, WireApi::Gemini);
        check(anthropic, 429, "{}", ErrorClass::RateLimit);
        check(anthropic, 529, "", ErrorClass::Overloaded);
        check(chat, 503, "no capacity", ErrorClass::Overloaded);
        check(chat, 500, "<html>", ErrorClass::ServerError);
        check(chat, 502, "", ErrorClass::ServerError);
        check(chat, 401, r#"{"error":{"code":"invalid_api_key"}}"#, ErrorClass::Auth);
        check(anthropic, 403, r#"{"error":{"type":"permission_error","message":"no"}}"#, ErrorClass::Auth);
        let model = r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}"#;
        check(anthropic, 404, model, ErrorClass::ModelNotFound);
        check(chat, 400, r#"{"error":{"code":"model_not_found","message":"x"}}"#, ErrorClass::ModelNotFound);
        check(chat, 404, "page not here", ErrorClass::InvalidRequest);
        let long = r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#;
        check(chat, 400, long, ErrorClass::ContextOverflow);
        check(anthropic, 413, r#"{"error":{"type":"request_too_large"}}"#, ErrorClass::ContextOverflow);
        let google =
            r#"{"error":{"code":400,"message":"The input token count (9) exceeds","status":"INVALID_ARGUMENT"}}"#;
        check(gemini, 400, google, ErrorClass::ContextOverflow);
        let key = r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#;
        check(gemini, 400, key, ErrorClass::Auth);
        check(chat, 400, r#"{"error":{"code":"content_filter","message":"no"}}"#, ErrorClass::ContentFilter);
        let moderated = r#"{"error":{"code":403,"message":"This model requires moderation. Your input was flagged."}}"#;
        check(chat, 403, moderated, ErrorClass::ContentFilter);
        let guidelines = r#"{"code":"x","error":"Content violates usage guidelines."}"#;
        check(chat, 403, guidelines, ErrorClass::ContentFilter);
        check(chat, 403, r#"{"error":{"message":"Your account was flagged"}}"#, ErrorClass::Auth);
        let busy = r#"{"error":{"code":"server_is_overloaded","message":"later"}}"#;
        check(chat, 500, busy, ErrorClass::Overloaded);
        check(anthropic, 400, r#"{"error":{"message":"messages: required"}}"#, ErrorClass::InvalidRequest);
        check(chat, 429, r#"{"error":{"message":"tokens per min: context window"}}"#, ErrorClass::RateLimit);
    }

    #[test]
    fn an_error_inside_a_stream_is_known_by_its_name() {
        let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        assert_eq!(classify(WireApi::AnthropicMessages, 0, overloaded), ErrorClass::Overloaded);
        let failed = br#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"x"}}}"#;
        assert_eq!(classify(WireApi::OpenAiResponses, 0, failed), ErrorClass::RateLimit);
        let failed = br#"{"type":"response.failed","response":{"error":{"code":"server_is_overloaded"}}}"#;
        assert_eq!(classify(WireApi::OpenAiResponses, 0, failed), ErrorClass::Overloaded);
        assert_eq!(classify(WireApi::OpenAiChat, 0, br#"{"error":{"type":"server_error"}}"#), ErrorClass::ServerError);
        assert_eq!(classify(WireApi::OpenAiChat, 0, b"odd"), ErrorClass::Other);
    }
}
