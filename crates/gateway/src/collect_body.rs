//! Collects a body into one buffer.

use http_body_util::BodyExt as _;
use hyper::body::{Body, Bytes};

/// The largest buffer that is allocated from a body's announced length, in bytes; the announced length is not trusted.
const MAX_INITIAL_CAPACITY: usize = 1024 * 1024;

/// Collects a body into one buffer, without its trailers. The caller must limit the length of the body.
///
/// Copies each chunk as it arrives, so that the connection reuses its read buffer. Holding the chunks until the end
/// would need a buffer for each, and would copy them when they are no longer in the CPU cache.
///
/// # Errors
/// The errors of the body.
pub(crate) async fn collect_body<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Bytes, B::Error> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX).min(MAX_INITIAL_CAPACITY);
    let (mut first, mut buffer) = (Bytes::new(), Vec::new());
    while let Some(frame) = body.frame().await {
        // Trailers are ignored.
        let Ok(chunk) = frame?.into_data() else { continue };
        if first.is_empty() && buffer.is_empty() {
            // Most bodies are a single chunk.
            first = chunk;
            continue;
        }
        if buffer.is_empty() {
            buffer.reserve(announced.max(first.len() + chunk.len()));
            buffer.extend_from_slice(&std::mem::take(&mut first));
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(if buffer.is_empty() { first } else { buffer.into() })
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, convert::Infallible, pin::Pin, task::Context, task::Poll};

    use hyper::{HeaderMap, body::Frame};

    use super::*;

    /// A body of prepared frames.
    struct Pieces(VecDeque<Frame<Bytes>>);

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            Poll::Ready(self.get_mut().0.pop_front().map(Ok))
        }
    }

    /// The collected body is the same for any division into chunks; empty chunks and trailers change nothing.
    #[tokio::test]
    async fn it_is_what_came_in_whatever_pieces() {
        let text = "a body in pieces";
        for size in 1..=text.len() {
            let pieces = text.as_bytes().chunks(size).map(Bytes::copy_from_slice).map(Frame::data);
            let trailers = std::iter::once(Frame::trailers(HeaderMap::new()));
            let empty = std::iter::once(Frame::data(Bytes::new()));
            let read = collect_body(Pieces(empty.chain(pieces).chain(trailers).collect())).await;
            assert_eq!(read, Ok(Bytes::from_static(text.as_bytes())), "in pieces of {size}");
        }
        assert_eq!(collect_body(Pieces(VecDeque::new())).await, Ok(Bytes::new()));
    }
}
