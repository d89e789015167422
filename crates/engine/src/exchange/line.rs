//! The format of one line of an export: an event, or a stored text.

use contracts::{ContentHash, catalogue};
use event_bus::{Chain, ParseChainError};
use event_core::{EventId, Hex, NewEvent, Position, Recorded, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An event of the log as one line of an export. Exactly one of `data`, `payload` and `purged` is present.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    /// The position of the event in the log.
    position: Position,
    /// The time at which the log recorded the event.
    recorded_at: Timestamp,
    /// The time at which the event happened.
    at: Timestamp,
    /// The id of the event, unique in the log.
    id: EventId,
    /// The id that related events share, such as that of their turn or session.
    correlation: EventId,
    /// The id of the event that caused it; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    causation: Option<EventId>,
    /// The kind of the event, such as `turn.started`.
    kind: String,
    /// The version of the layout of its payload.
    version: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// The payload as JSON, if its kind is known and its JSON decodes to the same bytes.
    data: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    /// The payload as hexadecimal digits, if it cannot be in `data`.
    payload: Option<String>,
    /// The hash of a payload that was purged, as 64 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    purged: Option<String>,
    /// The log's hash chain after this event, as text; `None` if the line has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chain: Option<String>,
}

/// A stored text as one line of an export, with its hash.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextLine {
    /// The BLAKE3 hash of the text.
    pub(super) text: ContentHash,
    /// The content of the text.
    pub(super) content: String,
}

/// Converts an event to a line of an export. `chain` is the log's hash chain value after it; `None` leaves it out.
pub(super) fn to_line(recorded: &Recorded, chain: Option<Chain>) -> Line {
    let event = &recorded.event;
    let data = recorded.purged.is_none().then(|| payload_to_json(&event.kind, event.version, &event.payload)).flatten();
    Line {
        position: recorded.position,
        recorded_at: recorded.recorded_at,
        at: event.at,
        id: event.id,
        correlation: event.correlation,
        causation: event.causation,
        kind: event.kind.to_string(),
        version: event.version,
        payload: (data.is_none() && recorded.purged.is_none()).then(|| Hex(&event.payload).to_string()),
        data,
        purged: recorded.purged.map(|hash| Hex(&hash).to_string()),
        chain: chain.map(|chain| chain.to_string()),
    }
}

/// Converts the payload of an event to JSON; `None` if the kind and version are unknown, or the JSON would not decode
/// to the same bytes.
pub fn payload_to_json(kind: &str, version: u16, payload: &[u8]) -> Option<Value> {
    let spec = catalogue::find_kind(kind, version)?;
    let value = (spec.to_json)(payload).ok()?;
    let reencoded = (spec.from_json)(value.clone()).ok()?;
    (reencoded == payload).then_some(value)
}

/// Converts an event to the JSON object of an export line, without the hash chain, for display; `null` if it cannot be
/// encoded.
pub fn event_to_json(recorded: &Recorded) -> Value {
    serde_json::to_value(to_line(recorded, None)).unwrap_or(Value::Null)
}

/// A parsed line of an exported log: an event or a stored text.
pub(super) enum Parsed {
    /// An event, with the hash chain in the line; `None` if the line has none.
    Event(Box<Recorded>, Option<Chain>),
    /// A stored text, with its hash.
    Text(TextLine),
}

/// Parses a line of an exported log.
///
/// # Errors
/// A description of the problem: invalid JSON, an unknown or missing key, a payload in none or several of `data`,
/// `payload` and `purged`, or `data` of a kind that this version does not know.
pub(super) fn parse_line(text: &str) -> Result<Parsed, String> {
    if text.starts_with("{\"text\"") {
        return serde_json::from_str(text).map(Parsed::Text).map_err(|error| error.to_string());
    }
    let line: Line = match serde_json::from_str(text) {
        Ok(line) => line,
        // Another tool may have changed the order of the keys of a text line.
        Err(error) => return serde_json::from_str(text).map(Parsed::Text).map_err(|_| error.to_string()),
    };
    let (payload, purged) = match (line.data, line.payload, line.purged) {
        (Some(data), None, None) => {
            let spec = catalogue::find_kind(&line.kind, line.version).ok_or_else(|| {
                format!("`{}` version {} is not known here: it needs `payload`", line.kind, line.version)
            })?;
            ((spec.from_json)(data).map_err(|error| error.to_string())?, None)
        }
        (None, Some(payload), None) => (decode_hex(&payload).ok_or("`payload` is not hexadecimal")?, None),
        (None, None, Some(hash)) => {
            let hash = decode_hex(&hash).and_then(|hash| hash.try_into().ok());
            (Vec::new(), Some(hash.ok_or("`purged` is not a hash of 64 hexadecimal digits")?))
        }
        _ => return Err("an event has one of `data`, `payload` and `purged`".to_owned()),
    };
    let chain =
        line.chain.map(|chain| chain.parse()).transpose().map_err(|error: ParseChainError| error.to_string())?;
    let event = NewEvent {
        id: line.id,
        at: line.at,
        correlation: line.correlation,
        causation: line.causation,
        kind: line.kind.into(),
        version: line.version,
        payload: payload.into(),
    };
    Ok(Parsed::Event(Box::new(Recorded::new(line.position, line.recorded_at, event).with_purged(purged)), chain))
}

/// Decodes hexadecimal digits; `None` if a character is no digit or their number is odd.
fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}
