//! The response stream to a client: the provider's chunks, observed, and converted to the client's API where necessary.

use std::task::{Context, Poll, ready};

use adapters::ResponseStream;
use contracts::{WireApi, events::ErrorClass};
use hyper::body::Bytes;
use wire::{StreamConverter, UsageHider, Watcher};

use crate::{body::Broken, call::RunningCall};

/// What happens to the bytes.
#[derive(Debug)]
pub(crate) enum BodyTransform {
    /// They pass as they are.
    Untouched,
    /// The account of usage is taken out: the client did not ask for it.
    Hidden(UsageHider),
    /// They are said in another API, and the account of usage is taken out where the client did not ask for it.
    Converted(Box<StreamConverter>, Option<UsageHider>),
}

/// The response stream to a client.
pub(crate) struct ClientStream {
    upstream: ResponseStream,
    watcher: Option<Watcher>,
    transform: BodyTransform,
    /// The client's API, and whether the response is a stream of events.
    client: (WireApi, bool),
    call: Option<RunningCall>,
    /// The last bytes sent to the client.
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
        watcher: Watcher,
        transform: BodyTransform,
        client: (WireApi, bool),
        call: RunningCall,
    ) -> Self {
        Self { upstream, watcher: Some(watcher), transform, client, call: Some(call), end: [0; 4], over: false }
    }

    /// Polls for the next chunk for the client.
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
                        // The converter has told the client what it could not be told.
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

    /// The provider has nothing more to say.
    fn finish(&mut self) -> Option<Result<Bytes, Broken>> {
        let seen = self.watcher.take().map(Watcher::finish)?;
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
            // The end of an answer in one piece is where its connection says that it is.
            call.answered(seen);
        } else {
            // It stopped in the middle without saying so, and the client is not to take the piece for the whole.
            call.failed_late(ErrorClass::Network, &seen);
            return Some(self.tell_broken(out));
        }
        (!out.is_empty()).then(|| Ok(Bytes::from(out)))
    }

    fn broke_off(&mut self, class: ErrorClass) -> Result<Bytes, Broken> {
        self.fail(class);
        self.tell_broken(Vec::new())
    }

    /// Notes how what the client has got ends.
    fn passed(&mut self, data: Bytes) -> Bytes {
        for byte in &data[data.len().saturating_sub(self.end.len())..] {
            self.end.rotate_left(1);
            self.end[3] = *byte;
        }
        data
    }

    fn is_between_events(&self) -> bool {
        self.end == [0; 4] || self.end.ends_with(b"\n\n") || self.end == *b"\r\n\r\n"
    }

    /// Tells a client that listens to events that the answer broke off; any other sees the connection cut, as does one
    /// that has half an event: whatever were said now would be taken for the rest of it.
    fn tell_broken(&self, mut out: Vec<u8>) -> Result<Bytes, Broken> {
        let (api, events) = self.client;
        if !events || !self.is_between_events() {
            return Err(Broken);
        }
        out.extend(wire::error_event(api, "api_error", "turnwise: the provider's answer broke off in the middle"));
        Ok(Bytes::from(out))
    }

    fn fail(&mut self, class: ErrorClass) {
        self.over = true;
        let seen = self.watcher.take().map(Watcher::finish);
        if let (Some(call), Some(seen)) = (self.call.take(), seen) {
            // What the provider said of it counts for more.
            call.failed_late(seen.error.unwrap_or(class), &seen);
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        // Whoever drops an answer that is not over does not want the rest: the client has gone.
        if let (Some(call), Some(watcher)) = (self.call.take(), self.watcher.take()) {
            call.cancelled(&watcher.finish());
        }
    }
}
