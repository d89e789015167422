//! Writes server-sent events.

use contracts::WireApi;
use serde_json::Value;

use super::{canonical::response::Failure, object::bytes_of};
use crate::{
    api,
    errors::{error_body, error_kind},
};

/// Appends a server-sent event with JSON data to `out`; `name` is its `event` field, if it has one.
pub(crate) fn write(out: &mut Vec<u8>, name: Option<&str>, data: &Value) {
    write_bytes(out, name, &bytes_of(data));
}

/// Appends an error of the provider to `out` as a server-sent event with the body of an error response. Responses has
/// an event type of its own for errors and does not use this function.
pub(crate) fn write_failure(api: WireApi, failure: &Failure, out: &mut Vec<u8>) {
    let (status, kind) = error_kind(api, failure.class);
    write_bytes(out, api::implementation(api).error_event_name(), &error_body(api, status, kind, &failure.message));
}

/// Appends a server-sent event to `out`. `name` is its `event` field, omitted if `None`; `data` is one line.
fn write_bytes(out: &mut Vec<u8>, name: Option<&str>, data: &[u8]) {
    if let Some(name) = name {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
}
