//! The response stream to a client: the provider's events are checked, summarised for the log, and converted to the
//! client's API if necessary.

mod checked;

use std::task::{Context, Poll, ready};

use contracts::{WireApi, events::ErrorClass};
use hyper::body::Bytes;
use wire::{StreamConverter, UsageFilter};

use crate::{body::TruncatedResponse, call::RunningCall};
pub(crate) use checked::{CheckedStream, StreamFailure, defect_class};

/// How the bytes of a provider's response are changed on their way to the client.
#[derive(Debug)]
pub(crate) enum BodyTransform {
    /// The bytes are forwarded unchanged.
    Identity,
    /// The usage chunk is removed: the gateway requested it, the client did not.
    FilterUsage(UsageFilter),
    /// The bytes are converted to another API, and the usage chunk is removed if the client did not request it.
    Convert(Box<StreamConverter>, Option<UsageFilter>),
}

impl BodyTransform {
    /// Changes the next events of the provider's stream for the client. `None` if nothing is sent to the client for
    /// them.
    ///
    /// # Errors
    /// The last bytes for the client, which end with an error event, if the events cannot be converted.
    fn feed(&mut self, data: Bytes) -> Result<Option<Bytes>, Bytes> {
        let mut out = Vec::new();
        match self {
            Self::Identity => return Ok(Some(data)),
            Self::FilterUsage(filter) => filter.feed(&data, &mut out),
            Self::Convert(converter, filter) => {
                let failed = converter.feed(&data, &mut out).is_err();
                if let Some(filter) = filter {
                    let converted = std::mem::take(&mut out);
                    filter.feed(&converted, &mut out);
                }
                if failed {
                    return Err(out.into());
                }
            }
        }
        Ok((!out.is_empty()).then(|| out.into()))
    }

    /// Returns the last bytes for the client after a complete stream of the provider.
    ///
    /// # Errors
    /// The last bytes for the client, which end with an error event, if the stream cannot be converted.
    fn finish(self) -> Result<Bytes, Bytes> {
        let mut out = Vec::new();
        match self {
            Self::Identity => {}
            Self::FilterUsage(filter) => filter.finish(&mut out),
            Self::Convert(converter, filter) => {
                let failed = converter.finish(&mut out).is_err();
                if let Some(mut filter) = filter {
                    let converted = std::mem::take(&mut out);
                    filter.feed(&converted, &mut out);
                    filter.finish(&mut out);
                }
                if failed {
                    return Err(out.into());
                }
            }
        }
        Ok(out.into())
    }
}

/// The body of a streamed response to a client. Polling it reads the provider's stream and changes its events for the
/// client. The outcome of the model call is recorded when the stream ends, fails or is dropped.
pub(crate) struct ClientStream {
    /// The provider's stream; `None` once the last chunk for the client was returned.
    upstream: Option<CheckedStream>,
    /// The conversion of the provider's bytes for the client.
    transform: BodyTransform,
    /// The client's API.
    api: WireApi,
    /// The call whose outcome this stream records; `None` once recorded.
    call: Option<RunningCall>,
}

impl std::fmt::Debug for ClientStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientStream")
            .field("api", &self.api)
            .field("finished", &self.upstream.is_none())
            .finish_non_exhaustive()
    }
}

impl ClientStream {
    /// Creates the body of a streamed response. `api` is the client's API, `call` the model call whose outcome is
    /// recorded.
    pub(crate) const fn new(
        upstream: CheckedStream,
        transform: BodyTransform,
        api: WireApi,
        call: RunningCall,
    ) -> Self {
        Self { upstream: Some(upstream), transform, api, call: Some(call) }
    }

    /// Polls for the next chunk of the response body; `None` at its end. The end records the outcome of the model call.
    /// If the provider's stream fails, the last chunk is an error event.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, TruncatedResponse>>> {
        while let Some(upstream) = &mut self.upstream {
            let last = match ready!(upstream.poll_events(context)) {
                Some(Ok(events)) => match self.transform.feed(events) {
                    Ok(None) => continue,
                    Ok(Some(out)) => return Poll::Ready(Some(Ok(out))),
                    // The error event is already at the end.
                    Err(out) => {
                        self.fail(ErrorClass::InvalidResponse);
                        out
                    }
                },
                Some(Err(failure)) => {
                    self.fail(failure.class);
                    self.error_event(&failure)
                }
                None => self.finish(),
            };
            return Poll::Ready((!last.is_empty()).then_some(Ok(last)));
        }
        Poll::Ready(None)
    }

    /// Handles the end of a complete stream of the provider: records the outcome of the model call and returns the last
    /// chunk for the client, which may be empty.
    fn finish(&mut self) -> Bytes {
        let last = std::mem::replace(&mut self.transform, BodyTransform::Identity).finish();
        let (Some(upstream), Some(call)) = (self.upstream.take(), self.call.take()) else { return Bytes::new() };
        let summary = upstream.into_summary();
        match (summary.error, last) {
            (Some(class), Ok(last) | Err(last)) => {
                call.fail(class, &summary);
                last
            }
            (None, Ok(last)) => {
                call.complete(summary);
                last
            }
            (None, Err(last)) => {
                call.fail(ErrorClass::InvalidResponse, &summary);
                last
            }
        }
    }

    /// Returns the error event of a failed stream in the client's API.
    fn error_event(&self, failure: &StreamFailure) -> Bytes {
        let message = format!("turnwise: the provider's response {}", failure.message);
        wire::error_event(self.api, wire::error_kind(self.api, failure.class).1, &message).into()
    }

    /// Records the model call as failed and ends the stream. An error that the provider reported in the stream takes
    /// precedence over `class`.
    fn fail(&mut self, class: ErrorClass) {
        if let (Some(upstream), Some(call)) = (self.upstream.take(), self.call.take()) {
            let summary = upstream.into_summary();
            call.fail(summary.error.unwrap_or(class), &summary);
        }
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        // A stream that is dropped before its end was abandoned: the client has disconnected.
        if let (Some(upstream), Some(call)) = (self.upstream.take(), self.call.take()) {
            call.cancel(&upstream.into_summary());
        }
    }
}
