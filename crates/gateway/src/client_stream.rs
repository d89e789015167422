//! The response stream to a client: chunks of the provider, observed, and converted to the client's API if necessary.

use std::task::{Context, Poll, ready};

use adapters::ResponseStream;
use contracts::{WireApi, events::ErrorClass};
use hyper::body::Bytes;
use wire::{ResponseInspector, StreamConverter, UsageFilter};

use crate::{body::Broken, call::RunningCall};

/// How the bytes of a response are changed on their way to the client.
#[derive(Debug)]
pub(crate) enum BodyTransform {
    /// They are forwarded unchanged.
    Untouched,
    /// The usage chunk is removed: the gateway requested it, the client did not.
    Hidden(UsageFilter),
    /// They are converted to another API, and the usage chunk is removed if the client did not request it.
    Converted(Box<StreamConverter>, Option<UsageFilter>),
}

/// The body of a response to a client. Polling it reads the provider's stream, observes it and transforms it; the call
/// is recorded when the stream ends, fails or is dropped.
pub(crate) struct ClientStream {
    upstream: ResponseStream,
    watcher: Option<ResponseInspector>,
    transform: BodyTransform,
    /// The client's API, and whether the response is a stream of server-sent events.
    client: (WireApi, bool),
    call: Option<RunningCall>,
    /// The last four bytes sent to the client, to detect the end of an event.
    end: [u8; 4],
    over: bool,
}

impl std::fmt::Debug for ClientStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientStream").field("client", &self.client).field("over", &self.over).finish_non_exhaustive()
    }
}

impl ClientStream {
    pub(crate) fn new(
        upstream: ResponseStream,
        watcher: ResponseInspector,
        transform: BodyTransform,
        client: (WireApi, bool),
        call: RunningCall,
    ) -> Self {
        Self { upstream, watcher: Some(watcher), transform, client, call: Some(call), end: [0; 4], over: false }
    }

    /// Polls for the next chunk for the client; `None` at the end of the response.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Broken>>> {
        while !self.over {
            let data = match ready!(self.upstream.poll_chunk(context)) {
                Some(Ok(data)) => data,
                Some(Err(error)) => return Poll::Ready(Some(self.broke_off(error.class()))),
                None => return Poll::Ready(self.finish()),
            };
            if let Some(call) = &mut self.call {
                call.began();
            }
            if let Some(watcher) = &mut self.watcher {
                watcher.feed(&data);
            }
            let mut out = Vec::new();
            match &mut self.transform {
                BodyTransform::Untouched => return Poll::Ready(Some(Ok(self.passed(data)))),
                BodyTransform::Hidden(hider) => hider.feed(&data, &mut out),
                BodyTransform::Converted(converter, hider) => {
                    let failed = converter.feed(&data, &mut out).is_err();
                    if let Some(hider) = hider {
                        let converted = std::mem::take(&mut out);
                        hider.feed(&converted, &mut out);
                    }
                    if failed {
                        // The converter has already appended an error event.
                        self.fail(ErrorClass::Other);
                    }
                }
            }
            if !out.is_empty() {
                return Poll::Ready(Some(Ok(self.passed(Bytes::from(out)))));
            }
        }
        Poll::Ready(None)
    }

    /// Handles the end of the provider's stream: records the outcome and returns the last chunk, if there is one.
    fn finish(&mut self) -> Option<Result<Bytes, Broken>> {
        let seen = self.watcher.take().map(ResponseInspector::finish)?;
        let mut out = Vec::new();
        match std::mem::replace(&mut self.transform, BodyTransform::Untouched) {
            BodyTransform::Untouched => {}
            BodyTransform::Hidden(hider) => hider.finish(&mut out),
            BodyTransform::Converted(converter, hider) => {
                let failed = converter.finish(&mut out).is_err();
                if let Some(mut hider) = hider {
                    let converted = std::mem::take(&mut out);
                    hider.feed(&converted, &mut out);
                    hider.finish(&mut out);
                }
                if failed {
                    self.over = true;
                    if let Some(call) = self.call.take() {
                        call.failed_late(seen.error.unwrap_or(ErrorClass::Network), &seen);
                    }
                    return Some(Ok(Bytes::from(out)));
                }
            }
        }
        self.over = true;
        let call = self.call.take()?;
        if let Some(class) = seen.error {
            call.failed_late(class, &seen);
        } else if seen.complete || !self.client.1 {
            // A response that is not a stream is complete when its body is.
            call.answered(seen);
        } else {
            // A stream without its final event was truncated. The client must not take it for a complete response.
            call.failed_late(ErrorClass::Network, &seen);
            return Some(self.tell_broken(out));
        }
        (!out.is_empty()).then(|| Ok(Bytes::from(out)))
    }

    /// Records a failure of the provider's stream and returns the last item for the client.
    fn broke_off(&mut self, class: ErrorClass) -> Result<Bytes, Broken> {
        self.fail(class);
        self.tell_broken(Vec::new())
    }

    /// Remembers the last bytes sent to the client.
    fn passed(&mut self, data: Bytes) -> Bytes {
        for byte in &data[data.len().saturating_sub(self.end.len())..] {
            self.end.rotate_left(1);
            self.end[3] = *byte;
        }
        data
    }

    /// Returns whether the bytes sent so far end with a complete event, or nothing was sent.
    fn is_between_events(&self) -> bool {
        self.end == [0; 4] || self.end.ends_with(b"\n\n") || self.end == *b"\r\n\r\n"
    }

    /// Appends an error event for a client that reads events. Any other client, or one that has received half an event,
    /// gets [`Broken`], which closes the connection: it would read an error event as the rest of that event.
    fn tell_broken(&self, mut out: Vec<u8>) -> Result<Bytes, Broken> {
        let (api, events) = self.client;
        if !events || !self.is_between_events() {
            return Err(Broken);
        }
        out.extend(wire::error_event(api, "api_error", "turnwise: the provider's answer broke off in the middle"));
        Ok(Bytes::from(out))
    }

    /// Records the call as failed. An error that the provider reported in the stream takes precedence over `class`.
    fn fail(&mut self, class: ErrorClass) {
        self.over = true;
        let seen = self.watcher.take().map(ResponseInspector::finish);
        if let (Some(call), Some(seen)) = (self.call.take(), seen) {
            call.failed_late(seen.error.unwrap_or(class), &seen);
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        // A stream that is dropped before its end was abandoned: the client has disconnected.
        if let (Some(call), Some(watcher)) = (self.call.take(), self.watcher.take()) {
            call.cancelled(&watcher.finish());
        }
    }
}
