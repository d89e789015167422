//! Receives the beginning of a provider's response, and checks it before anything is sent to the client.

use std::future::poll_fn;

use adapters::{ResponseStream, StreamError, UpstreamFailure, UpstreamResponse};
use contracts::{ResponseSummary, WireApi, events::ErrorClass};
use hyper::{StatusCode, body::Bytes, header::CONTENT_TYPE};
use tokio::time::{Instant, timeout_at};
use wire::{ResponseDefect, ResponseInspector};

use crate::{call::RunningCall, client_stream::defect_class, configuration::Timeouts};

/// A provider's response whose received part was checked against its API.
#[derive(Debug)]
pub(super) enum Received {
    /// A complete response that is not streamed.
    Whole {
        /// The body of the response.
        body: Bytes,
        /// The summary for the log.
        summary: ResponseSummary,
    },
    /// A stream of events whose first event was received.
    Stream {
        /// The bytes so far, of which the inspector has checked a part.
        start: Bytes,
        /// The rest of the stream.
        rest: ResponseStream,
        /// The inspector that has read `start`.
        inspector: ResponseInspector,
    },
}

/// The expected form of a provider's response, and its limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expectation<'a> {
    /// The API of the provider.
    pub(super) api: WireApi,
    /// Whether a stream was requested. A response to such a request may still not be streamed.
    pub(super) streams: bool,
    /// The maximum size of the response, in bytes.
    pub(super) max_bytes: usize,
    /// The time limits of the response.
    pub(super) timeouts: &'a Timeouts,
}

/// Receives a provider's response: all of it or, if it is a stream, up to its first event. Records the time of the
/// first byte in `call`.
///
/// # Errors
/// [`UpstreamFailure`] of class `InvalidResponse` if the response does not follow its API, of the class of the error
/// that it reports if that is a reason for a fallback, and of class `Network` or `Timeout` if it is interrupted.
pub(super) async fn receive(
    response: UpstreamResponse,
    expectation: Expectation<'_>,
    call: &mut RunningCall,
) -> Result<Received, UpstreamFailure> {
    let status = response.status;
    let content_type = response.headers.get(CONTENT_TYPE).map(|value| value.as_bytes().to_ascii_lowercase());
    let content_type = content_type.unwrap_or_default();
    if content_type.starts_with(b"text/html") {
        return Err(UpstreamFailure::invalid_response(status, "is a web page"));
    }
    if !expectation.streams && content_type.starts_with(b"text/event-stream") {
        return Err(UpstreamFailure::invalid_response(status, "is a stream, which was not requested"));
    }
    let deadline = Instant::now() + expectation.timeouts.first_byte();
    match timeout_at(deadline, read(response.body, status, expectation, call)).await {
        Ok(received) => received,
        Err(_) => Err(UpstreamFailure::without_response(ErrorClass::Timeout)),
    }
}

/// Reads chunks of the response body until the response is complete or, if it is a stream, until its first event.
///
/// # Errors
/// Those of [`receive`], without the timeout.
async fn read(
    mut body: ResponseStream,
    status: StatusCode,
    expectation: Expectation<'_>,
    call: &mut RunningCall,
) -> Result<Received, UpstreamFailure> {
    let invalid = |defect: ResponseDefect| {
        let failure = UpstreamFailure::invalid_response(status, defect.to_string());
        UpstreamFailure { class: defect_class(defect), ..failure }
    };
    let mut inspector = ResponseInspector::new(expectation.api, expectation.streams);
    let (mut start, mut buffer) = (Bytes::new(), Vec::new());
    while let Some(chunk) = poll_fn(|context| body.poll_chunk(context)).await {
        let chunk = chunk.map_err(|error: StreamError| UpstreamFailure::without_response(error.class()))?;
        call.mark_first_byte();
        inspector.feed(&chunk);
        if expectation.max_bytes < start.len() + buffer.len() + chunk.len() {
            return Err(invalid(ResponseDefect::TooLarge));
        }
        // Most streams begin with a chunk that has a complete event.
        if start.is_empty() && buffer.is_empty() {
            start = chunk;
        } else {
            if buffer.is_empty() {
                buffer.extend_from_slice(&std::mem::take(&mut start));
            }
            buffer.extend_from_slice(&chunk);
        }
        if let Some(class) = inspector.error().filter(|class| class.counts_against_provider()) {
            return Err(reported(class, status));
        }
        if 0 < inspector.checked_bytes() {
            let start = if buffer.is_empty() { start } else { buffer.into() };
            return Ok(Received::Stream { start, rest: body, inspector });
        }
        if let Some(defect) = inspector.defect() {
            return Err(invalid(defect));
        }
    }
    if let Some(defect) = inspector.end() {
        return Err(invalid(defect));
    }
    if let Some(class) = inspector.error().filter(|class| class.counts_against_provider()) {
        return Err(reported(class, status));
    }
    let body = if buffer.is_empty() { start } else { buffer.into() };
    if 0 < inspector.checked_bytes() {
        // A stream of one event without its empty line.
        return Ok(Received::Stream { start: body, rest: ResponseStream::from_chunks([]), inspector });
    }
    Ok(Received::Whole { body, summary: inspector.finish() })
}

/// Creates the failure for an error of this class that a provider reports in a successful response.
fn reported(class: ErrorClass, status: StatusCode) -> UpstreamFailure {
    let defect = Some("is an error".to_owned());
    UpstreamFailure { status: Some(status), defect, ..UpstreamFailure::without_response(class) }
}
