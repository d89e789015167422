//! Writes errors in the client's API and classifies the errors of providers.

mod classify;

use contracts::{WireApi, events::ErrorClass};

use crate::api;

pub use crate::api::gemini_status;
pub use classify::classify;

/// Returns the JSON body of an error response in the format of `api`. `kind` is the API's name of the error such as
/// `rate_limit_error`, see [`error_kind`]. `message` is shown to users and must not contain prompts or keys.
pub fn error_body(api: WireApi, status: u16, kind: &str, message: &str) -> Vec<u8> {
    api::implementation(api).error_body(status, kind, message).to_string().into_bytes()
}

/// Returns a server-sent event that reports an error at the end of a stream, in the format of `api`. `kind` and
/// `message` are those of [`error_body`].
pub fn error_event(api: WireApi, kind: &str, message: &str) -> Vec<u8> {
    let api = api::implementation(api);
    let name = api.error_event_name().map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {}\n\n", api.error_event(kind, message)).into_bytes()
}

/// Returns the HTTP status with which `api` reports an error class, and the API's name of the error, such as 429 and
/// `rate_limit_error`.
pub fn error_kind(api: WireApi, class: ErrorClass) -> (u16, &'static str) {
    let api = api::implementation(api);
    let status = match class {
        ErrorClass::RateLimit => 429,
        ErrorClass::Overloaded => api.overloaded_status(),
        ErrorClass::ServerError | ErrorClass::Other => 500,
        ErrorClass::Network | ErrorClass::InvalidResponse => 502,
        ErrorClass::Timeout => 504,
        ErrorClass::ModelNotFound => 404,
        ErrorClass::Auth | ErrorClass::ClientKey => 401,
        ErrorClass::Cancelled => 499,
        ErrorClass::InvalidRequest | ErrorClass::ContextOverflow | ErrorClass::ContentFilter => 400,
    };
    (status, api.error_kind(class))
}

#[cfg(test)]
mod tests {
    use contracts::{WireApi, events::ErrorClass};

    use super::{classify, error_body, error_event, error_kind, gemini_status};

    /// The error classes that the tests write and classify.
    const CLASSES: [ErrorClass; 9] = [
        ErrorClass::RateLimit,
        ErrorClass::Overloaded,
        ErrorClass::ServerError,
        ErrorClass::Timeout,
        ErrorClass::ModelNotFound,
        ErrorClass::Auth,
        ErrorClass::InvalidRequest,
        ErrorClass::ContextOverflow,
        ErrorClass::ContentFilter,
    ];

    /// For Gemini, the status name of an error class is the one of its HTTP status.
    #[test]
    fn the_word_for_a_status_is_the_one_for_an_error_of_that_status() {
        for class in CLASSES {
            let (status, word) = error_kind(WireApi::Gemini, class);
            assert_eq!(gemini_status(status), word, "{class:?}");
        }
        assert_eq!([403, 413, 502].map(gemini_status), ["PERMISSION_DENIED", "INVALID_ARGUMENT", "UNAVAILABLE"]);
    }

    #[test]
    fn each_api_gets_errors_in_its_own_shape() {
        let body = |api| String::from_utf8(error_body(api, 429, "k", "say \"when\"")).unwrap();
        insta::assert_snapshot!(WireApi::ALL.map(body).join("\n"), @r#"
        {"type":"error","error":{"type":"k","message":"say \"when\""}}
        {"error":{"message":"say \"when\"","type":"k","param":null,"code":"k"}}
        {"error":{"message":"say \"when\"","type":"k","param":null,"code":"k"}}
        {"error":{"code":429,"message":"say \"when\"","status":"k"}}
        "#);
        let event = |api| String::from_utf8(error_event(api, "k", "cut")).unwrap();
        insta::assert_snapshot!(WireApi::ALL.map(event).concat().trim_end(), @r#"
        event: error
        data: {"type":"error","error":{"type":"k","message":"cut"}}

        data: {"error":{"message":"cut","type":"k","param":null,"code":"k"}}

        event: error
        data: {"type":"error","code":"k","message":"cut","param":null,"sequence_number":0}

        data: {"error":{"code":500,"message":"cut","status":"k"}}
        "#);
    }

    /// An error written by [`error_body`] is classified as the class it was written for.
    #[test]
    fn an_error_of_our_own_is_classified_as_what_it_is() {
        for (api, class) in WireApi::ALL.into_iter().flat_map(|api| CLASSES.map(|class| (api, class))) {
            let (status, kind) = error_kind(api, class);
            let message = match class {
                ErrorClass::ContextOverflow => "prompt is too long",
                ErrorClass::ContentFilter => "content filter",
                _ => "model",
            };
            assert_eq!(classify(api, status, &error_body(api, status, kind, message)), class, "{api} {status} {kind}");
        }
    }
}
