//! Formatting of server-sent events.

use hyper::body::Bytes;
use serde_json::Value;

/// Formats a server-sent event with a name and JSON data.
pub(crate) fn named(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}

/// Formats a server-sent event with JSON data; its name is the member `type` of the data.
pub(crate) fn typed(data: &Value) -> Bytes {
    named(data["type"].as_str().unwrap_or_default(), data)
}

/// Formats a server-sent event with JSON data and without a name.
pub(crate) fn data(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

/// Formats a server-sent event without a name, with the CRLF line ends that Google uses.
pub(crate) fn data_crlf(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\r\n\r\n"))
}
