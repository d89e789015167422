//! [`CheckedStream`], which returns only complete events of a provider's stream that follow the provider's API.

use std::task::{Context, Poll, ready};

use adapters::ResponseStream;
use contracts::{ResponseSummary, events::ErrorClass};
use hyper::body::Bytes;
use wire::{ResponseDefect, ResponseInspector};

/// The end of an event, which is added to the last event if the provider omits it.
const END_OF_EVENT: &[u8] = b"\n\n";

/// A provider's stream of events, of which only checked events are returned. Memory is limited by the size of one
/// event.
#[derive(Debug)]
pub(crate) struct CheckedStream {
    /// The rest of the provider's stream.
    upstream: ResponseStream,
    /// Checks the events, and extracts usage, tool calls and errors.
    inspector: ResponseInspector,
    /// The chunk that the inspector has read, as far as it was not returned: checked events, or the start of an event.
    /// Empty if `buffer` is in use.
    chunk: Bytes,
    /// The bytes that were read and not returned if an event extends over several chunks; empty if `chunk` is in use.
    buffer: Vec<u8>,
    /// The number of bytes of the stream that were returned.
    returned: u64,
    /// The number of further bytes that the stream may have.
    room: usize,
    /// Whether the provider's stream has ended.
    ended: bool,
}

/// The reason why a provider's stream failed after its first event.
#[derive(Debug, Clone)]
pub(crate) struct StreamFailure {
    /// The class of the error that is recorded for the model call.
    pub(crate) class: ErrorClass,
    /// The reason as a predicate with the response as its subject, such as `is not JSON`.
    pub(crate) message: String,
}

impl From<ResponseDefect> for StreamFailure {
    fn from(defect: ResponseDefect) -> Self {
        Self { class: defect_class(defect), message: defect.to_string() }
    }
}

/// Returns the class of error that is recorded for a response with this defect.
pub(crate) const fn defect_class(defect: ResponseDefect) -> ErrorClass {
    match defect {
        // The connection was closed early.
        ResponseDefect::Incomplete => ErrorClass::Network,
        _ => ErrorClass::InvalidResponse,
    }
}

impl CheckedStream {
    /// Creates the checked stream of a response. `start` is its beginning, which `inspector` has already read. At most
    /// `max_bytes` of the response are read.
    pub(crate) const fn new(
        start: Bytes,
        upstream: ResponseStream,
        inspector: ResponseInspector,
        max_bytes: usize,
    ) -> Self {
        let room = max_bytes.saturating_sub(start.len());
        Self { upstream, inspector, chunk: start, buffer: Vec::new(), returned: 0, room, ended: false }
    }

    /// Polls for the next checked events; `None` at the end of a complete response. Invalid bytes after the event that
    /// ends a response are dropped.
    ///
    /// # Errors
    /// [`StreamFailure`] if the stream is interrupted, does not follow its API any more, or exceeds the size limit. All
    /// events before that were returned.
    pub(crate) fn poll_events(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, StreamFailure>>> {
        loop {
            if let Some(events) = self.take_checked() {
                return Poll::Ready(Some(Ok(events)));
            }
            if let Some(defect) = self.inspector.defect() {
                return Poll::Ready(self.failure(defect.into()));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            match ready!(self.upstream.poll_chunk(context)) {
                Some(Ok(data)) => {
                    let Some(room) = self.room.checked_sub(data.len()) else {
                        return Poll::Ready(self.failure(ResponseDefect::TooLarge.into()));
                    };
                    self.room = room;
                    self.inspector.feed(&data);
                    self.hold(data);
                }
                Some(Err(error)) => {
                    let failure = StreamFailure { class: error.class(), message: format!("was interrupted: {error}") };
                    return Poll::Ready(self.failure(failure));
                }
                None => {
                    self.ended = true;
                    self.inspector.end();
                    if let Some(rest) = self.take_checked().filter(|rest| !rest.ends_with(b"\n\n")) {
                        return Poll::Ready(Some(Ok([&*rest, END_OF_EVENT].concat().into())));
                    }
                }
            }
        }
    }

    /// Returns the summary of the response so far.
    pub(crate) fn into_summary(self) -> ResponseSummary {
        self.inspector.finish()
    }

    /// Removes and returns the events that were checked and not returned yet; `None` if there are none.
    fn take_checked(&mut self) -> Option<Bytes> {
        let checked = self.inspector.checked_bytes();
        let length = usize::try_from(checked.saturating_sub(self.returned)).unwrap_or(usize::MAX);
        let length = length.min(self.chunk.len().max(self.buffer.len()));
        if length == 0 {
            return None;
        }
        self.returned = checked;
        if self.buffer.is_empty() {
            return Some(self.chunk.split_to(length));
        }
        let rest = self.buffer.split_off(length);
        Some(std::mem::replace(&mut self.buffer, rest).into())
    }

    /// Stores bytes that the inspector has read, until their events are returned.
    fn hold(&mut self, data: Bytes) {
        if self.chunk.is_empty() && self.buffer.is_empty() {
            self.chunk = data;
            return;
        }
        if self.buffer.is_empty() {
            self.buffer.extend_from_slice(&std::mem::take(&mut self.chunk));
        }
        self.buffer.extend_from_slice(&data);
    }

    /// Returns the failure of the stream, or its end (`None`) if the response was complete before the failure.
    fn failure(&self, failure: StreamFailure) -> Option<Result<Bytes, StreamFailure>> {
        if self.inspector.is_complete() { None } else { Some(Err(failure)) }
    }
}
