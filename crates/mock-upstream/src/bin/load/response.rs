//! An incremental parser of HTTP responses, which finds where each one ends.

use memchr::memmem;

/// The maximum length in bytes of a status line with headers.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// An HTTP response that is being received, with the state of its parser.
#[derive(Debug)]
pub(crate) struct Response {
    /// Received bytes that are not parsed yet.
    buffer: Vec<u8>,
    /// The part of the response that is expected next.
    state: ParserState,
    /// The HTTP status; 0 until it is parsed.
    pub(crate) status: u16,
    /// The last bytes of the body, at most 256, to check that it is complete.
    pub(crate) tail: Vec<u8>,
    /// The length of the body so far in bytes.
    pub(crate) length: usize,
}

/// The part of the HTTP response that is expected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParserState {
    /// Status line and headers.
    Head,
    /// The given number of bytes of a body with a length.
    Sized(usize),
    /// The line with the size of a chunk.
    Chunk,
    /// The given number of bytes of a chunk, including its line end.
    InChunk(usize),
    /// The lines after the last chunk, up to an empty one.
    Trailer,
    /// Nothing: the response is complete.
    Done,
}

/// An HTTP response that this parser does not support, with the reason.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is not HTTP as it is understood here: {0}")]
pub(crate) struct UnsupportedResponse(&'static str);

impl Response {
    /// Creates a parser for the responses of one connection.
    pub(crate) fn new() -> Self {
        Self { buffer: Vec::new(), state: ParserState::Head, status: 0, tail: Vec::new(), length: 0 }
    }

    /// Resets the parser for the next response on the same connection.
    pub(crate) fn reset(&mut self) {
        self.state = ParserState::Head;
        self.status = 0;
        self.length = 0;
        self.tail.clear();
    }

    /// Returns whether the response is complete.
    pub(crate) fn is_done(&self) -> bool {
        self.state == ParserState::Done
    }

    /// Parses received bytes. An incomplete part stays in the buffer until its rest is received.
    ///
    /// # Errors
    /// [`UnsupportedResponse`] if the response is not HTTP, or has neither a length nor chunks.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), UnsupportedResponse> {
        self.buffer.extend_from_slice(bytes);
        let mut consumed_bytes = 0;
        while let Some(length) = self.parse_next(consumed_bytes)? {
            consumed_bytes += length;
        }
        self.buffer.drain(..consumed_bytes);
        Ok(())
    }

    /// Parses the next part of the HTTP response, at the offset `from` of the buffer, and returns its length in bytes;
    /// `None` if more bytes are needed, or if the response is complete.
    ///
    /// # Errors
    /// [`UnsupportedResponse`] if the part is invalid.
    fn parse_next(&mut self, from: usize) -> Result<Option<usize>, UnsupportedResponse> {
        let unparsed = self.buffer.get(from..).unwrap_or_default();
        match self.state {
            ParserState::Head => {
                let Some(end) = memmem::find(unparsed, b"\r\n\r\n") else {
                    return if unparsed.len() > MAX_HEAD_BYTES {
                        Err(UnsupportedResponse("no end of its head"))
                    } else {
                        Ok(None)
                    };
                };
                let head = unparsed.get(..end).unwrap_or_default();
                (self.status, self.state) = parse_head(head)?;
                Ok(Some(end + 4))
            }
            ParserState::Sized(left) | ParserState::InChunk(left) if unparsed.is_empty() && left > 0 => Ok(None),
            ParserState::Sized(left) => {
                let body_bytes = left.min(unparsed.len());
                self.state = if body_bytes == left { ParserState::Done } else { ParserState::Sized(left - body_bytes) };
                self.add_body_bytes(from, body_bytes);
                Ok(if body_bytes == 0 { None } else { Some(body_bytes) })
            }
            ParserState::Chunk | ParserState::Trailer => {
                let Some(end) = memmem::find(unparsed, b"\r\n") else {
                    return Ok(None);
                };
                let line = unparsed.get(..end).unwrap_or_default();
                self.state = match self.state {
                    ParserState::Chunk => parse_chunk_size(line)?,
                    _ if line.is_empty() => ParserState::Done,
                    _ => ParserState::Trailer,
                };
                Ok(Some(end + 2))
            }
            ParserState::InChunk(left) => {
                let chunk_bytes = left.min(unparsed.len());
                self.state =
                    if chunk_bytes == left { ParserState::Chunk } else { ParserState::InChunk(left - chunk_bytes) };
                // The two bytes at the end are no part of the body.
                let body_bytes = chunk_bytes.min(left.saturating_sub(2));
                self.add_body_bytes(from, body_bytes);
                Ok(Some(chunk_bytes))
            }
            ParserState::Done => Ok(None),
        }
    }

    /// Adds `count` bytes of the buffer from offset `from` to the length and the tail of the response body.
    fn add_body_bytes(&mut self, from: usize, count: usize) {
        const TAIL_BYTES: usize = 256;
        self.length += count;
        let bytes = self.buffer.get(from..from + count).unwrap_or_default();
        let new_tail = bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
        self.tail.extend_from_slice(new_tail);
        let excess = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
    }
}

/// Parses the line with the hexadecimal size of a chunk, which precedes each chunk of an HTTP body. Returns the state
/// that parses the chunk, or the trailer after the last one.
///
/// # Errors
/// [`UnsupportedResponse`] if there is no size.
fn parse_chunk_size(line: &[u8]) -> Result<ParserState, UnsupportedResponse> {
    let digits = std::str::from_utf8(line).ok().and_then(|line| line.split(';').next()).unwrap_or_default();
    let size = usize::from_str_radix(digits.trim(), 16).map_err(|_| UnsupportedResponse("no size of a chunk"))?;
    Ok(if size == 0 { ParserState::Trailer } else { ParserState::InChunk(size + 2) })
}

/// Parses the status line and the headers of an HTTP response. Returns the status, and the state that parses the body:
/// one with a length or one in chunks.
///
/// # Errors
/// [`UnsupportedResponse`] if the head is no text, has no status, or has neither a length nor chunked encoding.
fn parse_head(head: &[u8]) -> Result<(u16, ParserState), UnsupportedResponse> {
    let text = std::str::from_utf8(head).map_err(|_| UnsupportedResponse("a head that is no text"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let status = status.ok_or(UnsupportedResponse("no status"))?;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().map_err(|_| UnsupportedResponse("a length that is no number"))?;
            return Ok((status, if length == 0 { ParserState::Done } else { ParserState::Sized(length) }));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            return Ok((status, ParserState::Chunk));
        }
    }
    Err(UnsupportedResponse("neither a length nor chunks"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Status, length and tail of a response that arrives in chunks of this many bytes.
    fn read(bytes: &[u8], pieces: usize) -> (u16, usize, Vec<u8>, bool) {
        let mut response = Response::new();
        for piece in bytes.chunks(pieces) {
            response.feed(piece).unwrap();
        }
        (response.status, response.length, response.tail.clone(), response.is_done())
    }

    #[test]
    fn an_answer_ends_where_it_ends_however_it_comes() {
        let sized = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        let chunked = b"HTTP/1.1 529 \r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";
        for pieces in 1..=sized.len() {
            assert_eq!(read(sized, pieces), (200, 5, b"hello".to_vec(), true));
        }
        for pieces in 1..=chunked.len() {
            assert_eq!(read(chunked, pieces), (529, 5, b"hello".to_vec(), true));
            assert!(!read(&chunked[..chunked.len() - 1], pieces).3, "one byte less is not the end");
        }
    }

    #[test]
    fn what_is_not_http_is_said_to_be_misunderstood() {
        let mut response = Response::new();
        assert_eq!(response.feed(b"hello\r\n\r\n"), Err(UnsupportedResponse("no status")));
    }
}
