//! Server-sent events.

use hyper::body::Bytes;
use serde_json::Value;

/// An event with a name.
pub(crate) fn named(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// An event named by its own `type`.
pub(crate) fn typed(data: &Value) -> Bytes {
    named(data["type"].as_str().unwrap_or_default(), data)
}

/// An event without a name.
pub(crate) fn data(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

/// The same with the line ends that Google uses.
pub(crate) fn data_crlf(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\r\n\r\n"))
}
