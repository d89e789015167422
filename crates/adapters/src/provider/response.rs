//! [`UpstreamResponse`] and the stream of its body.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use contracts::events::ErrorClass;
use hyper::{
    HeaderMap, StatusCode,
    body::{Body, Bytes, Frame, Incoming, SizeHint},
};
use tokio::time::{Instant, Sleep, sleep};

use crate::redaction::StreamRedactor;

/// A successful response of a provider. Status and headers have arrived; the body may still be arriving.
#[derive(Debug)]
pub struct UpstreamResponse {
    /// The HTTP status; always 200 for a response over HTTP.
    pub status: StatusCode,
    /// The headers of the provider's response.
    pub headers: HeaderMap,
    /// The body as a stream of chunks.
    pub body: ResponseStream,
}

/// Body of a response as a stream of chunks. Ends with an error if no chunk arrives within the idle timeout.
#[derive(Debug)]
pub struct ResponseStream(Source);

/// The source of a response stream's chunks.
#[derive(Debug)]
enum Source {
    /// The body of an HTTP response.
    Http(HttpBody),
    /// Chunks that are already available.
    Chunks(VecDeque<Result<Bytes, StreamError>>),
}

/// Body of an HTTP response, with the timer for the time between two chunks.
#[derive(Debug)]
struct HttpBody {
    /// The remaining body.
    body: Incoming,
    /// Timer that expires if the next chunk does not arrive in time.
    idle: Pin<Box<Sleep>>,
    /// Time limit between two chunks.
    idle_timeout: Duration,
    /// Replaces API keys in the body.
    redactor: StreamRedactor,
}

/// Error of a response stream that ended before the response was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// No chunk arrived within the idle timeout.
    #[error("the provider sent nothing for longer than the idle timeout")]
    Idle,
    /// The connection was interrupted, or the response is not valid HTTP.
    #[error("the connection to the provider broke")]
    Disconnected,
}

impl StreamError {
    /// Returns the class of the error in events.
    pub const fn class(self) -> ErrorClass {
        match self {
            Self::Idle => ErrorClass::Timeout,
            Self::Disconnected => ErrorClass::Network,
        }
    }
}

impl ResponseStream {
    /// Creates a stream of an HTTP response's body. The idle timer starts now.
    pub(crate) fn http(body: Incoming, idle_timeout: Duration, redactor: StreamRedactor) -> Self {
        Self(Source::Http(HttpBody { body, idle: Box::pin(sleep(idle_timeout)), idle_timeout, redactor }))
    }

    /// Creates a stream of chunks that are already available, for providers that do not use HTTP. An error ends it.
    pub fn from_chunks(chunks: impl IntoIterator<Item = Result<Bytes, StreamError>>) -> Self {
        Self(Source::Chunks(chunks.into_iter().collect()))
    }

    /// Polls for the next chunk of the response body; `None` at its end and after an error.
    ///
    /// # Errors
    /// [`StreamError`] if the connection is interrupted or no chunk arrives within the idle timeout.
    pub fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, StreamError>>> {
        let chunk = match &mut self.0 {
            Source::Http(body) => ready!(body.poll_chunk(context)),
            Source::Chunks(chunks) => chunks.pop_front(),
        };
        if let Some(Err(_)) = chunk {
            self.0 = Source::Chunks(VecDeque::new());
        }
        Poll::Ready(chunk)
    }
}

impl HttpBody {
    /// Polls for the next chunk of the body, and restarts the idle timer when one arrives.
    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, StreamError>>> {
        loop {
            let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) else {
                ready!(self.idle.as_mut().poll(context));
                return Poll::Ready(Some(Err(StreamError::Idle)));
            };
            match frame.map(|frame| frame.map(Frame::into_data)) {
                None => {
                    let held_bytes = self.redactor.finish();
                    return Poll::Ready((!held_bytes.is_empty()).then_some(Ok(held_bytes)));
                }
                Some(Ok(Ok(data))) => {
                    self.idle.as_mut().reset(Instant::now() + self.idle_timeout);
                    let data = self.redactor.feed(data);
                    if !data.is_empty() {
                        return Poll::Ready(Some(Ok(data)));
                    }
                }
                // Trailers are ignored.
                Some(Ok(Err(_trailers))) => {}
                Some(Err(_)) => return Poll::Ready(Some(Err(StreamError::Disconnected))),
            }
        }
    }
}

impl Body for ResponseStream {
    type Data = Bytes;
    type Error = StreamError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, StreamError>>> {
        self.get_mut().poll_chunk(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Http(HttpBody { body, .. }) => body.size_hint(),
            Source::Chunks(_) => SizeHint::default(),
        }
    }
}
