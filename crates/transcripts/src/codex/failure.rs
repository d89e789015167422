//! Classifies the errors that Codex records.

use contracts::events::ErrorClass;

use crate::error_text::classify_error;

/// Classifies an error that Codex recorded, by its text and the client's `info` about it, which is a word or an object
/// such as `{"http_connection_failed":{"http_status_code":503}}`. Returns the class, and the provider's HTTP status
/// code if known.
pub(super) fn classify_failure(text: &str, info: Option<&str>) -> (ErrorClass, Option<u16>) {
    let info = info.unwrap_or_default();
    let status = status_in(info, "http_status_code\":").or_else(|| status_in(text, "unexpected status "));
    let by_text = classify_error(status, text);
    let info_contains = |name: &str| info.contains(name);
    let by_name = if info_contains("usage_limit_exceeded") || info_contains("rate_limit") {
        ErrorClass::RateLimit
    } else if info_contains("context_window_exceeded") {
        ErrorClass::ContextOverflow
    } else if info_contains("server_overloaded") {
        ErrorClass::Overloaded
    } else if info_contains("internal_server_error") {
        ErrorClass::ServerError
    } else if info_contains("unauthorized") {
        ErrorClass::Auth
    } else if info_contains("bad_request") {
        ErrorClass::InvalidRequest
    } else if info_contains("cyber_policy") {
        ErrorClass::ContentFilter
    } else if by_text == ErrorClass::Other
        && (info_contains("connection_failed") || info_contains("stream_disconnected"))
    {
        ErrorClass::Network
    } else if by_text == ErrorClass::Other && text.contains("invalid_request_error") {
        ErrorClass::InvalidRequest
    } else {
        by_text
    };
    (by_name, status)
}

/// Parses the HTTP status code (400 to 599) that follows `words` in `text`; `None` if there is none.
fn status_in(text: &str, words: &str) -> Option<u16> {
    let (_, rest) = text.split_once(words)?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).take(4).collect();
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use contracts::events::ErrorClass;

    use super::classify_failure;

    /// The class of an error follows from the client's classification, the HTTP status or the text.
    #[test]
    fn names_and_texts_give_the_class_of_an_error() {
        let check = |text: &str, info: Option<&str>, class, status| {
            assert_eq!(classify_failure(text, info), (class, status), "{text} {info:?}");
        };
        check("You’ve hit your usage limit.", Some("\"usage_limit_exceeded\""), ErrorClass::RateLimit, None);
        check("odd", Some("\"context_window_exceeded\""), ErrorClass::ContextOverflow, None);
        let failed = r#"{"http_connection_failed":{"http_status_code":503}}"#;
        check("odd", Some(failed), ErrorClass::ServerError, Some(503));
        check("odd", Some(r#"{"http_connection_failed":{"http_status_code":null}}"#), ErrorClass::Network, None);
        check("unexpected status 401 Unauthorized: no key", None, ErrorClass::Auth, Some(401));
        check(r#"{"error":{"type":"invalid_request_error"}}"#, Some("\"other\""), ErrorClass::InvalidRequest, None);
        check("stream disconnected before completion: network error", None, ErrorClass::Network, None);
        check("odd", None, ErrorClass::Other, None);
    }
}
