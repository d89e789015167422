//! Classifies errors that clients recorded, by HTTP status and text, for all file formats.

use contracts::events::ErrorClass;

/// Returns the class of an error that a client recorded; [`ErrorClass::Other`] if neither `text` nor `status`, the HTTP
/// status, identifies it. Specific texts, in any case of letters, take precedence over the status, because one status
/// is used for several errors.
pub(crate) fn classify_error(status: Option<u16>, text: &str) -> ErrorClass {
    let text = text.to_lowercase();
    let contains = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if contains(&["prompt is too long", "context window", "context_length", "input length and `max_tokens`"]) {
        ErrorClass::ContextOverflow
    } else if contains(&["overloaded"]) || status == Some(529) {
        ErrorClass::Overloaded
    } else if contains(&["content filter", "usage policy"]) {
        ErrorClass::ContentFilter
    } else if contains(&["not_found_error"]) && contains(&["model"]) {
        ErrorClass::ModelNotFound
    } else if contains(&["aborted", "request was cancelled"]) {
        ErrorClass::Cancelled
    } else {
        match status {
            Some(401 | 403) => ErrorClass::Auth,
            Some(408 | 504) => ErrorClass::Timeout,
            Some(413) => ErrorClass::ContextOverflow,
            Some(429) => ErrorClass::RateLimit,
            Some(500..) => ErrorClass::ServerError,
            Some(400..) => ErrorClass::InvalidRequest,
            _ if contains(&["rate limit", "rate_limit", "usage limit", "hit your limit", "limit reached"]) => {
                ErrorClass::RateLimit
            }
            _ if contains(&["invalid api key", "/login", "oauth", "authentication", "credit balance"]) => {
                ErrorClass::Auth
            }
            _ if contains(&["timed out", "timeout"]) => ErrorClass::Timeout,
            _ if contains(&["connection", "econn", "enotfound", "network", "socket", "fetch failed", "dns"]) => {
                ErrorClass::Network
            }
            _ => ErrorClass::Other,
        }
    }
}
