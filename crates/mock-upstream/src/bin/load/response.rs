//! Parses HTTP responses, as far as needed to find their end.

use memchr::memmem;

/// The longest head, in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// An incremental parser of an HTTP response.
#[derive(Debug)]
pub(crate) struct Response {
    /// Received bytes that are not parsed yet.
    unread: Vec<u8>,
    state: State,
    pub(crate) status: u16,
    /// The last bytes of the body, to check that it is complete.
    pub(crate) tail: Vec<u8>,
    /// Bytes of the body.
    pub(crate) length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    /// This number of bytes follows.
    Sized(usize),
    /// The size of a chunk follows.
    Chunk,
    /// This number of bytes of a chunk follows, with its line end.
    InChunk(usize),
    /// The last chunk is followed by an empty line.
    Trailer,
    Done,
}

/// An HTTP response that this parser does not support.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer is not HTTP as it is understood here: {0}")]
pub(crate) struct Misunderstood(&'static str);

impl Response {
    pub(crate) fn new() -> Self {
        Self { unread: Vec::new(), state: State::Head, status: 0, tail: Vec::new(), length: 0 }
    }

    /// Resets the parser for the next response on the same connection.
    pub(crate) fn again(&mut self) {
        self.state = State::Head;
        self.status = 0;
        self.length = 0;
        self.tail.clear();
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Reads received bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<(), Misunderstood> {
        self.unread.extend_from_slice(bytes);
        let mut read = 0;
        while let Some(more) = self.step(read)? {
            read += more;
        }
        self.unread.drain(..read);
        Ok(())
    }

    /// Parses the next part from `from` on and returns its length; `None` if more bytes are needed.
    fn step(&mut self, from: usize) -> Result<Option<usize>, Misunderstood> {
        let rest = self.unread.get(from..).unwrap_or_default();
        match self.state {
            State::Head => {
                let Some(end) = memmem::find(rest, b"\r\n\r\n") else {
                    return if rest.len() > LONGEST_HEAD { Err(Misunderstood("no end of its head")) } else { Ok(None) };
                };
                let head = rest.get(..end).unwrap_or_default();
                (self.status, self.state) = understand(head)?;
                Ok(Some(end + 4))
            }
            State::Sized(left) | State::InChunk(left) if rest.is_empty() && left > 0 => Ok(None),
            State::Sized(left) => {
                let taken = left.min(rest.len());
                self.state = if taken == left { State::Done } else { State::Sized(left - taken) };
                self.keep(from, taken);
                Ok(if taken == 0 { None } else { Some(taken) })
            }
            State::Chunk | State::Trailer => {
                let Some(end) = memmem::find(rest, b"\r\n") else {
                    return Ok(None);
                };
                let line = rest.get(..end).unwrap_or_default();
                if self.state == State::Trailer {
                    self.state = if line.is_empty() { State::Done } else { State::Trailer };
                    return Ok(Some(end + 2));
                }
                let digits = std::str::from_utf8(line).ok().and_then(|line| line.split(';').next()).unwrap_or_default();
                let size = usize::from_str_radix(digits.trim(), 16).map_err(|_| Misunderstood("no size of a chunk"))?;
                self.state = if size == 0 { State::Trailer } else { State::InChunk(size + 2) };
                Ok(Some(end + 2))
            }
            State::InChunk(left) => {
                let taken = left.min(rest.len());
                self.state = if taken == left { State::Chunk } else { State::InChunk(left - taken) };
                // The two bytes at the end are no part of the body.
                let of_body = taken.min(left.saturating_sub(2));
                self.keep(from, of_body);
                Ok(Some(taken))
            }
            State::Done => Ok(None),
        }
    }

    fn keep(&mut self, from: usize, count: usize) {
        const KEPT: usize = 256;
        self.length += count;
        let bytes = self.unread.get(from..from + count).unwrap_or_default();
        let last = bytes.get(bytes.len().saturating_sub(KEPT)..).unwrap_or_default();
        self.tail.extend_from_slice(last);
        let excess = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..excess);
    }
}

/// Parses the head of a response: its status, and the framing of its body.
fn understand(head: &[u8]) -> Result<(u16, State), Misunderstood> {
    let text = std::str::from_utf8(head).map_err(|_| Misunderstood("a head that is no text"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let status = status.ok_or(Misunderstood("no status"))?;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().map_err(|_| Misunderstood("a length that is no number"))?;
            return Ok((status, if length == 0 { State::Done } else { State::Sized(length) }));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            return Ok((status, State::Chunk));
        }
    }
    Err(Misunderstood("neither a length nor chunks"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Status, length and tail of a response that arrives in chunks of this many bytes.
    fn read(bytes: &[u8], pieces: usize) -> (u16, usize, Vec<u8>, bool) {
        let mut response = Response::new();
        for piece in bytes.chunks(pieces) {
            response.take(piece).unwrap();
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
        assert_eq!(response.take(b"hello\r\n\r\n"), Err(Misunderstood("no status")));
    }
}
