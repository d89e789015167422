//! Splits a byte stream into server-sent events.

/// The longest event that is returned, in bytes. Responses end with an event that repeats the whole response.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Splits bytes into events. An event ends with an empty line; lines end with `\n` or `\r\n`.
#[derive(Debug, Default)]
pub(crate) struct EventSplitter {
    /// The start of an incomplete event.
    pending: Vec<u8>,
    /// How many bytes of it have been searched for the end.
    searched: usize,
}

/// A part of an SSE stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A complete event, with its empty line.
    Event(&'a [u8]),
    /// Bytes of an event that exceeds the limit.
    Oversized(&'a [u8]),
}

impl EventSplitter {
    /// Reads bytes and calls `each` with every completed event. Events within one chunk are not copied.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Frame<'_>)) {
        let mut rest = bytes;
        if !self.pending.is_empty() {
            let before = self.pending.len();
            self.pending.extend_from_slice(bytes);
            let Some(end) = end_of_event(&self.pending, self.searched) else {
                self.searched = self.pending.len();
                if self.pending.len() > MAX_EVENT_BYTES {
                    each(Frame::Oversized(&self.pending));
                    self.pending.clear();
                    self.searched = 0;
                }
                return;
            };
            each(Frame::Event(self.pending.get(..end).unwrap_or_default()));
            rest = bytes.get(end.saturating_sub(before)..).unwrap_or_default();
            self.pending.clear();
        }
        while let Some(end) = end_of_event(rest, 0) {
            let (event, behind) = rest.split_at(end);
            each(Frame::Event(event));
            rest = behind;
        }
        self.pending.extend_from_slice(rest);
        self.searched = self.pending.len();
    }

    /// Returns the bytes after the last complete event.
    pub(crate) fn rest(self) -> Vec<u8> {
        self.pending
    }
}

/// Returns the offset after the first event and its empty line; `None` if it is incomplete. The first `searched` bytes
/// contain no complete end, but may contain the start of one.
fn end_of_event(bytes: &[u8], searched: usize) -> Option<usize> {
    let mut at = searched.saturating_sub(3);
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == b'\n')? + 1;
        match bytes.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
}

/// Returns the data of an event, its lines joined with line feeds; `None` if it has none.
pub(crate) fn data(event: &[u8]) -> Option<std::borrow::Cow<'_, [u8]>> {
    let mut found: Option<std::borrow::Cow<'_, [u8]>> = None;
    for line in event.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let data = data.strip_prefix(b" ").unwrap_or(data);
        match &mut found {
            None => found = Some(data.into()),
            Some(before) => {
                let before = before.to_mut();
                before.push(b'\n');
                before.extend_from_slice(data);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EventSplitter, Frame, data};

    fn pieces(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let (mut events, mut found) = (EventSplitter::default(), Vec::new());
        for chunk in chunks {
            events.feed(chunk, |frame| match frame {
                Frame::Event(event) => found.push(event.to_vec()),
                Frame::Oversized(_) => panic!("nothing is that long"),
            });
        }
        (found, events.rest())
    }

    #[test]
    fn events_end_with_an_empty_line() {
        let (events, rest) = pieces(&[b"data: a\n\nevent: x\r\ndata: b\r", b"\n\r\n", b": c\n\ndata: d\n"]);
        assert_eq!(events, [&b"data: a\n\n"[..], b"event: x\r\ndata: b\r\n\r\n", b": c\n\n"]);
        assert_eq!(rest, b"data: d\n");
    }

    #[test]
    fn the_data_of_several_lines_is_joined() {
        let check = |event: &[u8], expected: Option<&[u8]>| assert_eq!(data(event).as_deref(), expected);
        check(b"event: x\ndata: {\"a\":1}\n\n", Some(b"{\"a\":1}"));
        check(b"data:{\r\ndata: }\r\n\r\n", Some(b"{\n}"));
        check(b": ping\n\n", None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn pieces_do_not_depend_on_chunks_and_lose_nothing(
            text in "[a\r\n]{0,60}",
            cuts in prop::collection::vec(0_usize..60, 0..8),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let (events, rest) = pieces(&chunks);
            prop_assert_eq!([events.concat(), rest.clone()].concat(), bytes);
            prop_assert_eq!(pieces(&[bytes]), (events, rest));
        }
    }
}
