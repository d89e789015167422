//! Sends an export request to the collector (OTLP specification, "OTLP/HTTP response").

use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use adapters::{HttpClient, USER_AGENT_VALUE, retry_after};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    Method, Request, StatusCode,
    body::Bytes,
    header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, USER_AGENT},
};
use serde_json::Value;

use crate::configuration::Collector;

/// The time limit of a request with its response.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length in bytes of a response; of a longer one only the status is used.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// The result of sending spans to the OpenTelemetry collector.
#[derive(Debug)]
pub(super) enum Export {
    /// Accepted, except for `rejected` spans, which must not be sent again.
    Accepted { rejected: u64 },
    /// Refused; the same request must not be sent again.
    Refused(StatusCode),
    /// Failed temporarily; the same request may be sent again.
    Retry {
        /// The cause, without the collector's response body, which may repeat the request.
        cause: String,
        /// The pause that the collector requests; `None` if it requests none.
        after: Option<Duration>,
    },
}

/// Posts an encoded export request to the collector, and classifies the response or error.
pub(super) async fn post(client: &HttpClient, collector: &Collector, body: Bytes) -> Export {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = collector.url.clone();
    request.headers_mut().clone_from(&collector.headers);
    request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    request.headers_mut().insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_VALUE));
    let retry = |cause: String| Export::Retry { cause, after: None };
    let exchange = async {
        let response = match client.request(request).await {
            Ok(response) => response,
            Err(error) => return retry(causes(&error)),
        };
        let (parts, body) = response.into_parts();
        // The body is read in any case, so that the connection can be reused.
        let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
        match parts.status {
            status if status.is_success() => {
                Export::Accepted { rejected: body.map_or(0, |body| rejected_spans(&body.to_bytes())) }
            }
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => {
                let after = parts.headers.get(RETRY_AFTER).and_then(|value| retry_after(value, SystemTime::now()));
                Export::Retry { cause: format!("it answers {}", parts.status), after }
            }
            status => Export::Refused(status),
        }
    };
    tokio::time::timeout(TIMEOUT, exchange)
        .await
        .unwrap_or_else(|_| retry(format!("no answer within {} s", TIMEOUT.as_secs())))
}

/// Returns the number of spans that the collector's response reports as rejected; 0 if the response is not JSON or has
/// no such field. OTLP encodes the number as text, some collectors as a number.
fn rejected_spans(body: &[u8]) -> u64 {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let rejected = answer.pointer("/partialSuccess/rejectedSpans");
    rejected.and_then(|count| count.as_u64().or_else(|| count.as_str()?.parse().ok())).unwrap_or(0)
}

/// Formats an error with its chain of causes.
fn causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::rejected_spans;

    /// The number of rejected spans is parsed from text and from a number, and is 0 in any other response.
    #[test]
    fn what_a_collector_did_not_take_is_read_as_text_and_as_a_number() {
        assert_eq!(rejected_spans(br#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#), 3);
        assert_eq!(rejected_spans(br#"{"partialSuccess":{"rejectedSpans":4}}"#), 4);
        for nothing in [&b""[..], b"{}", br#"{"partialSuccess":{}}"#, b"\x0a\x00", b"[1]"] {
            assert_eq!(rejected_spans(nothing), 0);
        }
    }
}
