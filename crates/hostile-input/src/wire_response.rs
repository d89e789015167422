//! Fuzz target for responses: inspection and conversion, streamed and not.

use contracts::{ResponseSummary, WireApi};
use wire::{ResponseDefect, ResponseInspector, StreamConverter, UsageFilter, classify, convert_response};

use crate::selector::api;

/// The lengths of the chunks in which a stream is read again.
const CHUNKS: [usize; 2] = [5, 61];

/// Bytes of a converted response for each byte of the provider's, and beside them. A client's event repeats names and
/// ids, and the last one of Responses all content.
const GROWTH: (usize, usize) = (400, 16 * 1024);

/// Reads the first byte as the API of a provider, whether a stream was requested, and the API of a client, and the rest as
/// the bytes of a response. Inspects and converts it.
///
/// Panics if the result depends on the division into chunks, if a converted response does not follow the client's API, or
/// if it is much larger than the response.
pub fn check_wire_response(data: &[u8]) {
    let Some((selector, body)) = data.split_first() else { return };
    let (from, streams) = (api(*selector), selector & 4 == 0);
    let inspected = inspect_in_chunks(from, streams, body, body.len().max(1));
    let filtered = filter_in_chunks(body, body.len().max(1));
    for size in CHUNKS {
        assert_eq!(inspect_in_chunks(from, streams, body, size), inspected, "in chunks of {size}");
        assert_eq!(filter_in_chunks(body, size), filtered, "the usage in chunks of {size}");
    }
    for status in [200, 400, 429, 529] {
        // Every answer is possible.
        let _class = classify(from, status, body);
    }
    for to in WireApi::ALL.into_iter().filter(|to| *to != from) {
        check_stream(from, to, body);
        check_whole(from, to, body);
    }
}

/// Inspects a response in chunks of `size` bytes. Returns its defect, the number of bytes up to it, and its summary.
fn inspect_in_chunks(
    api: WireApi,
    streams: bool,
    body: &[u8],
    size: usize,
) -> (Option<ResponseDefect>, u64, ResponseSummary) {
    let mut inspector = ResponseInspector::new(api, streams);
    body.chunks(size).for_each(|chunk| inspector.feed(chunk));
    let defect = inspector.end();
    let checked = inspector.checked_bytes();
    assert!(checked <= body.len() as u64, "{checked} of {} bytes are checked", body.len());
    (defect, checked, inspector.finish())
}

/// Removes the usage from a stream in chunks of `size` bytes.
fn filter_in_chunks(body: &[u8], size: usize) -> Vec<u8> {
    let (mut filter, mut out) = (UsageFilter::new(), Vec::new());
    body.chunks(size).for_each(|chunk| filter.feed(chunk, &mut out));
    filter.finish(&mut out);
    assert!(out.len() <= body.len(), "{} of {} bytes are left", out.len(), body.len());
    out
}

/// Converts a stream. The client's stream follows its API and ends once, with a stop reason or an error.
fn check_stream(from: WireApi, to: WireApi, body: &[u8]) {
    let converted = convert_in_chunks(from, to, body, body.len().max(1));
    for size in CHUNKS {
        assert_eq!(convert_in_chunks(from, to, body, size), converted, "{from} as {to} in chunks of {size}");
    }
    check_size(body, &converted);
    let (defect, ..) = inspect_in_chunks(to, true, &converted, converted.len().max(1));
    assert_eq!(defect, None, "{from} as {to}: {}", String::from_utf8_lossy(&converted));
}

/// Converts a stream in chunks of `size` bytes. An error is the last event of the result.
fn convert_in_chunks(from: WireApi, to: WireApi, body: &[u8], size: usize) -> Vec<u8> {
    let mut converter = StreamConverter::new(from, to, "model", "id".to_owned(), 1);
    let mut out = Vec::new();
    let fed = body.chunks(size).try_for_each(|chunk| converter.feed(chunk, &mut out));
    let before = out.len();
    let finished = converter.finish(&mut out);
    assert!(fed.is_ok() || (finished.is_ok() && out.len() == before), "a failed stream is over");
    out
}

/// Converts a response that is not streamed. The client's response follows its API.
fn check_whole(from: WireApi, to: WireApi, body: &[u8]) {
    let Ok(converted) = convert_response(from, to, "model", 1, body) else { return };
    check_size(body, &converted);
    let (defect, _, summary) = inspect_in_chunks(to, false, &converted, converted.len().max(1));
    assert_eq!(defect, None, "{from} as {to}: {}", String::from_utf8_lossy(&converted));
    assert_eq!(summary.error, None, "{from} as {to}: {}", String::from_utf8_lossy(&converted));
}

/// Checks that a converted response is not much larger than the provider's.
fn check_size(body: &[u8], converted: &[u8]) {
    let (factor, rest) = GROWTH;
    assert!(converted.len() <= body.len() * factor + rest, "{} bytes became {}", body.len(), converted.len());
}
