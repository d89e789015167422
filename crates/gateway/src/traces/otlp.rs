//! Spans and export requests in the JSON encoding of OTLP over HTTP.
//!
//! Ids are hexadecimal, times and integers are text, kinds and status codes are numbers:
//! <https://opentelemetry.io/docs/specs/otlp>.

use event_core::{EventId, Hex, Timestamp};
use serde::Serialize;
use serde_json::json;

use super::attributes::Attributes;

/// An OpenTelemetry span in OTLP's JSON encoding. Only ended spans are exported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Span {
    /// The trace id: 32 hexadecimal digits.
    #[serde(rename = "traceId")]
    pub(super) trace: String,
    /// The span id: 16 hexadecimal digits.
    #[serde(rename = "spanId")]
    pub(super) id: String,
    /// The id of the span above; `None` for the span of a turn.
    #[serde(rename = "parentSpanId", skip_serializing_if = "Option::is_none")]
    pub(super) parent: Option<String>,
    /// The operation and its subject, such as a model.
    pub(super) name: String,
    /// The kind of the span.
    pub(super) kind: Kind,
    /// The time of the start.
    #[serde(rename = "startTimeUnixNano")]
    pub(super) start: Nanos,
    /// The time of the end, not before the start.
    #[serde(rename = "endTimeUnixNano")]
    pub(super) end: Nanos,
    /// The attributes in insertion order.
    pub(super) attributes: Attributes,
    /// The span events, such as fallbacks of a turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<SpanEvent>,
    /// The error status; `None` without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Status>,
}

/// A span event in OTLP's JSON encoding, such as a fallback within a turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SpanEvent {
    /// The time of the event.
    #[serde(rename = "timeUnixNano")]
    pub(super) at: Nanos,
    /// The name of the event.
    pub(super) name: &'static str,
    /// The attributes of the event.
    pub(super) attributes: Attributes,
}

/// The kind of an OpenTelemetry span: internal, or the client side of a remote call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(into = "u8")]
pub(super) enum Kind {
    /// An operation within the client or the gateway. OTLP's code is 1.
    Internal,
    /// A request to a provider. OTLP's code is 3.
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

/// The status of an OpenTelemetry span that failed. Other spans have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Status {
    /// OTLP's status code.
    code: u8,
}

impl Status {
    /// The status of an error, with OTLP's code 2.
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

/// Returns the trace id of a turn: the turn's id in hexadecimal.
pub(super) fn trace_id(turn: EventId) -> String {
    Hex(&nonzero_id(turn.0)).to_string()
}

/// Returns the span id of an event: the first half of the event's id in hexadecimal.
pub(super) fn span_id(event: EventId) -> String {
    Hex(&nonzero_id(event.0.first_chunk::<8>().copied().unwrap_or_default())).to_string()
}

/// Replaces an id of zeros, which OTLP forbids, by one with the last byte 1. Returns any other id unchanged.
fn nonzero_id<const N: usize>(mut id: [u8; N]) -> [u8; N] {
    if id.iter().all(|byte| *byte == 0)
        && let Some(last) = id.last_mut()
    {
        *last = 1;
    }
    id
}

/// Encodes an OTLP export request with these spans as JSON.
///
/// # Errors
/// None in practice: spans consist of texts and numbers, which can always be encoded.
pub(super) fn encode_request(spans: &[Span]) -> Result<Vec<u8>, serde_json::Error> {
    /// The version of turnwise.
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    /// Layout of an export request.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Request<'a> {
        resource_spans: [ResourceSpans<'a>; 1],
    }
    /// Layout of the field `resourceSpans` of OTLP: the spans of one program.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct ResourceSpans<'a> {
        resource: serde_json::Value,
        scope_spans: [ScopeSpans<'a>; 1],
    }
    /// Layout of the spans of one library within a program.
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
