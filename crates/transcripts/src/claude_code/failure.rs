//! Classifies the errors that Claude Code records.

use contracts::events::ErrorClass;
use serde::Deserialize;

use crate::{error_text::classify_error, session_file::Text};

/// Class of an error, and the provider's HTTP status code if known.
pub(super) type Failure = (ErrorClass, Option<u16>);

/// Classifies the error of a failed model call that Claude Code retried: the field `error` of a `system` line with the
/// subtype `api_error`.
///
/// The client retries after responses that permit it and after failed connections. The latter have no status, so an
/// unclassified error without a status is a network error.
pub(super) fn of_attempt(error: Option<&str>) -> Failure {
    let error = error.unwrap_or_default();
    let fields: ErrorFields<'_> = serde_json::from_str(error).unwrap_or_default();
    match fields.status {
        Some(status) => (classify_error(Some(status), error), Some(status)),
        None => match classify_error(None, error) {
            ErrorClass::Other => (ErrorClass::Network, None),
            class => (class, None),
        },
    }
}

/// Classifies the error of a model call that Claude Code did not retry, from the text of its `assistant` line with
/// `isApiErrorMessage`. `name` is the client's name of the error, if recorded.
pub(super) fn of_message(text: &str, name: Option<&str>) -> Failure {
    let status = status_in(text);
    let by_text = classify_error(status, text);
    let by_name = match name {
        Some("rate_limit") => Some(ErrorClass::RateLimit),
        Some("authentication_failed") => Some(ErrorClass::Auth),
        Some("server_error") => Some(ErrorClass::ServerError),
        Some("invalid_request") => Some(ErrorClass::InvalidRequest),
        Some("model_not_found") => Some(ErrorClass::ModelNotFound),
        _ => None,
    };
    // The text is more specific than the name: an overload is also a server error.
    let class = if by_text == ErrorClass::Other { by_name.unwrap_or(by_text) } else { by_text };
    (class, status)
}

/// The fields that are read of an error object in a session file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorFields<'a> {
    /// HTTP status code of the response; `None` if the connection failed.
    status: Option<u16>,
    /// Text of the error; not read.
    #[serde(rename = "message", borrow)]
    _message: Text<'a>,
}

/// Parses the HTTP status code, 400 to 599, in a text such as `API Error: 529 …` or `API Error (529 …)`; `None` if
/// there is none.
fn status_in(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("API Error")?;
    let digits: String =
        rest.trim_start_matches([':', ' ', '(']).chars().take_while(char::is_ascii_digit).take(4).collect();
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use contracts::events::ErrorClass;

    use super::{of_attempt, of_message};

    /// The class and the HTTP status of an error follow from its text, or else from the client's name of it.
    #[test]
    fn a_message_about_an_error_gives_its_class_and_status() {
        let check = |text: &str, name: Option<&str>, class: ErrorClass, status: Option<u16>| {
            assert_eq!(of_message(text, name), (class, status), "{text}");
        };
        check(
            r#"API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}"#,
            None,
            ErrorClass::Overloaded,
            Some(529),
        );
        check("API Error (429 too many requests)", None, ErrorClass::RateLimit, Some(429));
        check("API Error: 500 Internal server error", None, ErrorClass::ServerError, Some(500));
        check("API Error: 400 messages: at least one message is required", None, ErrorClass::InvalidRequest, Some(400));
        check(
            r#"API Error: 404 {"error":{"type":"not_found_error","message":"model: x"}}"#,
            None,
            ErrorClass::ModelNotFound,
            Some(404),
        );
        check("API Error: Request timed out.", None, ErrorClass::Timeout, None);
        check("API Error: Connection error.", None, ErrorClass::Network, None);
        check("Prompt is too long", None, ErrorClass::ContextOverflow, None);
        check("Invalid API key · Please run /login", None, ErrorClass::Auth, None);
        check("Claude AI usage limit reached|1760000000", None, ErrorClass::RateLimit, None);
        check("Something odd", Some("server_error"), ErrorClass::ServerError, None);
        check("Something odd", None, ErrorClass::Other, None);
    }

    /// A failed attempt without a status is a network error.
    #[test]
    fn an_attempt_without_a_status_is_a_connection_that_failed() {
        assert_eq!(of_attempt(Some("{}")), (ErrorClass::Network, None));
        assert_eq!(of_attempt(None), (ErrorClass::Network, None));
        let overloaded = r#"{"status":529,"headers":{},"error":{"type":"error","error":{"type":"overloaded_error"}}}"#;
        assert_eq!(of_attempt(Some(overloaded)), (ErrorClass::Overloaded, Some(529)));
        assert_eq!(of_attempt(Some(r#"{"status":429}"#)), (ErrorClass::RateLimit, Some(429)));
    }
}
