//! Server-sent events.

use hyper::body::Bytes;
use serde_json::Value;

/// Returns an event with a name.
pub(crate) fn named(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// Returns an event whose name is its `type`.
pub(crate) fn typed(data: &Value) -> Bytes {
    named(data["type"].as_str().unwrap_or_default(), data)
}

/// Returns an event without a name.
pub(crate) fn data(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

/// Returns an event without a name, with the line ends that Google uses.
pub(crate) fn data_crlf(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\r\n\r\n"))
}
