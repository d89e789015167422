//! The response stream to a client: chunks of the provider, observed, and converted to the client's API if necessary.

use std::task::{Context, Poll, ready};

use adapters::ResponseStream;
use contracts::{WireApi, events::ErrorClass};
use hyper::body::Bytes;
use wire::{ResponseInspector, StreamConverter, UsageFilter};

use crate::{body::TruncatedResponse, call::RunningCall};

/// The change of a response's bytes on their way to the client.
#[derive(Debug)]
pub(crate) enum BodyTransform {
    /// The bytes are forwarded unchanged.
    Identity,
    /// The usage chunk is removed: the gateway requested it, the client did not.
    FilterUsage(UsageFilter),
    /// The bytes are converted to another API, and the usage chunk is removed if the client did not request it.
    Convert(Box<StreamConverter>, Option<UsageFilter>),
}

/// The body of a response to a client. Polling it reads the provider's stream, observes it and transforms it; the call
/// is recorded when the stream ends, fails or is dropped.
pub(crate) struct ClientStream {
    /// The body of the provider's response.
    upstream: ResponseStream,
    /// Extracts usage, tool calls and errors from the provider's bytes; `None` once its summary was taken.
    inspector: Option<ResponseInspector>,
    /// The conversion of the provider's bytes for the client.
    transform: BodyTransform,
    /// The client's API, and whether the client receives server-sent events.
    client: (WireApi, bool),
    /// The call whose outcome this stream records; `None` once recorded.
    call: Option<RunningCall>,
    /// The last four bytes sent to the client, to detect the end of an event; zeros before the first byte.
    tail: [u8; 4],
    /// Whether the last chunk was returned, so that the provider's stream is no longer polled.
    finished: bool,
}

impl std::fmt::Debug for ClientStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientStream")
            .field("client", &self.client)
            .field("finished", &self.finished)
            .finish_non_exhaustive()
    }
}

impl ClientStream {
    /// Creates the body of a response. `client` is the client's API, and whether the client receives server-sent
    /// events.
    pub(crate) fn new(
        upstream: ResponseStream,
        inspector: ResponseInspector,
        transform: BodyTransform,
        client: (WireApi, bool),
        call: RunningCall,
    ) -> Self {
        Self {
            upstream,
            inspector: Some(inspector),
            transform,
            client,
            call: Some(call),
            tail: [0; 4],
            finished: false,
        }
    }

    /// Polls for the next chunk for the client; `None` at the end of the response. The end records the outcome of the
    /// call.
    ///
    /// # Errors
    /// [`TruncatedResponse`] if the provider's stream failed or ended early, and the client cannot receive an error
    /// event.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, TruncatedResponse>>> {
        while !self.finished {
            let data = match ready!(self.upstream.poll_chunk(context)) {
                Some(Ok(data)) => data,
                Some(Err(error)) => return Poll::Ready(Some(self.handle_upstream_error(error.class()))),
                None => return Poll::Ready(self.finish()),
            };
            if let Some(call) = &mut self.call {
                call.mark_first_byte();
            }
            if let Some(inspector) = &mut self.inspector {
                inspector.feed(&data);
            }
            let mut out = Vec::new();
            match &mut self.transform {
                BodyTransform::Identity => return Poll::Ready(Some(Ok(self.record_tail(data)))),
                BodyTransform::FilterUsage(filter) => filter.feed(&data, &mut out),
                BodyTransform::Convert(converter, filter) => {
                    let failed = converter.feed(&data, &mut out).is_err();
                    if let Some(filter) = filter {
                        let converted = std::mem::take(&mut out);
                        filter.feed(&converted, &mut out);
                    }
                    if failed {
                        // The converter has already appended an error event.
                        self.fail(ErrorClass::Other);
                    }
                }
            }
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(self.record_tail(Bytes::from(out)))));
            }
        }
        Poll::Ready(None)
    }

    /// Handles the end of the provider's stream: records the outcome and returns the last chunk for the client; `None`
    /// if there is none. A stream of events without its final event is recorded as failed, and its last chunk is an
    /// error event.
    fn finish(&mut self) -> Option<Result<Bytes, TruncatedResponse>> {
        let summary = self.inspector.take().map(ResponseInspector::finish)?;
        let mut out = Vec::new();
        match std::mem::replace(&mut self.transform, BodyTransform::Identity) {
            BodyTransform::Identity => {}
            BodyTransform::FilterUsage(filter) => filter.finish(&mut out),
            BodyTransform::Convert(converter, filter) => {
                let failed = converter.finish(&mut out).is_err();
                if let Some(mut filter) = filter {
                    let converted = std::mem::take(&mut out);
                    filter.feed(&converted, &mut out);
                    filter.finish(&mut out);
                }
                if failed {
                    self.finished = true;
                    if let Some(call) = self.call.take() {
                        call.fail(summary.error.unwrap_or(ErrorClass::Network), &summary);
                    }
                    return Some(Ok(Bytes::from(out)));
                }
            }
        }
        self.finished = true;
        let call = self.call.take()?;
        if let Some(class) = summary.error {
            call.fail(class, &summary);
        } else if summary.complete || !self.client.1 {
            // A response that is not a stream is complete when its body is.
            call.complete(summary);
        } else {
            // A stream without its final event was truncated. The client must not take it for a complete response.
            call.fail(ErrorClass::Network, &summary);
            return Some(self.error_item(out));
        }
        (!out.is_empty()).then(|| Ok(Bytes::from(out)))
    }

    /// Records an error of the provider's stream and returns the last item for the client: an error event, or the error
    /// that closes the connection.
    fn handle_upstream_error(&mut self, class: ErrorClass) -> Result<Bytes, TruncatedResponse> {
        self.fail(class);
        self.error_item(Vec::new())
    }

    /// Stores the last four bytes sent to the client in `tail`, and returns `data` unchanged.
    fn record_tail(&mut self, data: Bytes) -> Bytes {
        for byte in &data[data.len().saturating_sub(self.tail.len())..] {
            self.tail.rotate_left(1);
            self.tail[3] = *byte;
        }
        data
    }

    /// Returns whether the bytes sent so far end with a complete event, or nothing was sent.
    fn is_between_events(&self) -> bool {
        self.tail == [0; 4] || self.tail.ends_with(b"\n\n") || self.tail == *b"\r\n\r\n"
    }

    /// Appends an error event to `out` for a client that reads events, and returns it.
    ///
    /// # Errors
    /// [`TruncatedResponse`], which closes the connection, for a client that does not read events, or that has received
    /// half an event and would read an error event as the rest of it.
    fn error_item(&self, mut out: Vec<u8>) -> Result<Bytes, TruncatedResponse> {
        let (api, events) = self.client;
        if !events || !self.is_between_events() {
            return Err(TruncatedResponse);
        }
        out.extend(wire::error_event(api, "api_error", "turnwise: the provider's answer broke off in the middle"));
        Ok(Bytes::from(out))
    }

    /// Records the call as failed and ends the stream. An error that the provider reported in the stream takes
    /// precedence over `class`.
    fn fail(&mut self, class: ErrorClass) {
        self.finished = true;
        let summary = self.inspector.take().map(ResponseInspector::finish);
        if let (Some(call), Some(summary)) = (self.call.take(), summary) {
            call.fail(summary.error.unwrap_or(class), &summary);
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        // A stream that is dropped before its end was abandoned: the client has disconnected.
        if let (Some(call), Some(inspector)) = (self.call.take(), self.inspector.take()) {
            call.cancel(&inspector.finish());
        }
    }
}
