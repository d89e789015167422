//! Spans and export requests in the JSON encoding of OTLP over HTTP.
//!
//! Ids are hexadecimal, times and integers are text, kinds and status codes are numbers:
//! <https://opentelemetry.io/docs/specs/otlp>.

use event_core::{EventId, Hex, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::attributes::Attributes;

/// A span in OTLP's JSON encoding. Only ended spans are exported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Span {
    #[serde(rename = "traceId")]
    pub(super) trace: String,
    #[serde(rename = "spanId")]
    pub(super) id: String,
    #[serde(rename = "parentSpanId", skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    pub(super) name: String,
    pub(super) kind: Kind,
    #[serde(rename = "startTimeUnixNano")]
    pub(super) start: Nanos,
    #[serde(rename = "endTimeUnixNano")]
    pub(super) end: Nanos,
    pub(super) attributes: Attributes,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<SpanEvent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Status>,
}

/// A span event in OTLP's JSON encoding, such as a fallback within a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SpanEvent {
    #[serde(rename = "timeUnixNano")]
    pub(super) at: Nanos,
    pub(super) name: &'static str,
    pub(super) attributes: Attributes,
}

/// The kind of a span: internal, or the client side of a remote call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "u8")]
pub(super) enum Kind {
    Internal,
    Client,
}

impl From<Kind> for u8 {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Internal => 1,
            Kind::Client => 3,
        }
    }
}

/// The status of a failed span. Other spans have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Status {
    code: u8,
}

impl Status {
    pub(super) const ERROR: Self = Self { code: 2 };
}

/// A time in nanoseconds since 1970, as text: OTLP encodes 64-bit integers so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Nanos(String);

impl From<Timestamp> for Nanos {
    fn from(at: Timestamp) -> Self {
        Self(at.0.saturating_mul(1_000).to_string())
    }
}

/// Returns the trace id of a turn: the turn's id.
pub(super) fn trace_id(turn: EventId) -> String {
    Hex(&nonzero_id(turn.0)).to_string()
}

/// Returns the span id of an event: the first half of the event's id.
pub(super) fn span_id(event: EventId) -> String {
    Hex(&nonzero_id(event.0.first_chunk::<8>().copied().unwrap_or_default())).to_string()
}

/// Replaces an id of zeros, which OTLP forbids.
fn nonzero_id<const N: usize>(mut id: [u8; N]) -> [u8; N] {
    if id.iter().all(|byte| *byte == 0)
        && let Some(last) = id.last_mut()
    {
        *last = 1;
    }
    id
}

/// Encodes an export request with these spans.
///
/// # Errors
/// Does not happen: spans consist of texts and numbers.
pub(super) fn encode_request(spans: &[Span]) -> Result<Vec<u8>, serde_json::Error> {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Request<'a> {
        resource_spans: [ResourceSpans<'a>; 1],
    }
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct ResourceSpans<'a> {
        resource: serde_json::Value,
        scope_spans: [ScopeSpans<'a>; 1],
    }
    #[derive(Serialize)]
    struct ScopeSpans<'a> {
        scope: serde_json::Value,
        spans: &'a [Span],
    }
    let mut attributes = Attributes::default();
    attributes.text("service.name", "turnwise");
    attributes.text("service.version", VERSION);
    let scope_spans = [ScopeSpans { scope: json!({ "name": "turnwise.gateway", "version": VERSION }), spans }];
    let resource = json!({ "attributes": attributes });
    serde_json::to_vec(&Request { resource_spans: [ResourceSpans { resource, scope_spans }] })
}

#[cfg(test)]
mod tests {
    use event_core::EventId;

    use super::{span_id, trace_id};

    #[test]
    fn ids_are_hexadecimal_of_their_length_and_never_zero() {
        let id = EventId([0, 1, 2, 3, 4, 5, 6, 0xff, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(
            (trace_id(id).as_str(), span_id(id).as_str()),
            ("00010203040506ff08090a0b0c0d0e0f", "00010203040506ff")
        );
        let zero = EventId([0; 16]);
        assert_eq!((trace_id(zero).len(), span_id(zero).as_str()), (32, "0000000000000001"));
    }
}
