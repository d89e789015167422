//! Splits a byte stream into server-sent events and extracts their data.

/// The maximum length of an event in bytes. It is this high because streams of Responses end with an event that repeats
/// all content.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Splits a byte stream into server-sent events. An event ends with an empty line; lines end with `\n` or `\r\n`.
#[derive(Debug, Default)]
pub(crate) struct EventSplitter {
    /// The start of an event whose end has not arrived.
    pending: Vec<u8>,
    /// The number of bytes of `pending` that were already searched for the end of the event.
    searched_bytes: usize,
}

/// A part of a stream of server-sent events, as [`EventSplitter`] returns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// A complete event, with its empty line.
    Event(&'a [u8]),
    /// The first bytes of an event that exceeds the size limit. The bytes that follow are treated as a new event.
    Oversized(&'a [u8]),
}

impl EventSplitter {
    /// Reads the next bytes and calls `on_frame` with each event that they complete. If an incomplete event exceeds the
    /// size limit, its bytes so far are passed as [`Frame::Oversized`]. Events that lie within `bytes` are not copied.
    pub(crate) fn feed(&mut self, bytes: &[u8], mut on_frame: impl FnMut(Frame<'_>)) {
        let mut unread = bytes;
        if !self.pending.is_empty() {
            let length_before = self.pending.len();
            self.pending.extend_from_slice(bytes);
            let Some(end) = end_of_event(&self.pending, self.searched_bytes) else {
                self.searched_bytes = self.pending.len();
                if self.pending.len() > MAX_EVENT_BYTES {
                    on_frame(Frame::Oversized(&self.pending));
                    self.pending.clear();
                    self.searched_bytes = 0;
                }
                return;
            };
            on_frame(Frame::Event(self.pending.get(..end).unwrap_or_default()));
            unread = bytes.get(end.saturating_sub(length_before)..).unwrap_or_default();
            self.pending.clear();
        }
        while let Some(end) = end_of_event(unread, 0) {
            let (event, following) = unread.split_at(end);
            on_frame(Frame::Event(event));
            unread = following;
        }
        self.pending.extend_from_slice(unread);
        self.searched_bytes = self.pending.len();
    }

    /// Returns the number of buffered bytes after the last complete event.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    /// Returns the bytes after the last complete event: an event without its empty line, or nothing.
    pub(crate) fn into_pending(self) -> Vec<u8> {
        self.pending
    }
}

/// Returns the offset after the first event and its empty line; `None` if the event is incomplete.
///
/// The first `searched` bytes are known to contain no complete empty line; the last three of them may be its start.
fn end_of_event(bytes: &[u8], searched_bytes: usize) -> Option<usize> {
    let mut line_start = searched_bytes.saturating_sub(3);
    loop {
        line_start += bytes.get(line_start..)?.iter().position(|byte| *byte == b'\n')? + 1;
        match bytes.get(line_start..)? {
            [b'\n', ..] => return Some(line_start + 1),
            [b'\r', b'\n', ..] => return Some(line_start + 2),
            _ => {}
        }
    }
}

/// Returns the content of the `data` fields of an event; several are joined with line feeds. `None` if the event has no
/// such field. The result is borrowed if there is only one field.
pub(crate) fn event_data(event: &[u8]) -> Option<std::borrow::Cow<'_, [u8]>> {
    let mut event_content: Option<std::borrow::Cow<'_, [u8]>> = None;
    for line in event.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let data = data.strip_prefix(b" ").unwrap_or(data);
        match &mut event_content {
            None => event_content = Some(data.into()),
            Some(content) => {
                let content = content.to_mut();
                content.push(b'\n');
                content.extend_from_slice(data);
            }
        }
    }
    event_content
}

/// Returns whether every line of an event is valid in server-sent events: empty, a comment, or a field with a known
/// name.
pub(crate) fn has_only_fields(event: &[u8]) -> bool {
    event.split(|byte| *byte == b'\n').all(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        line.is_empty() || line.starts_with(b":") || [&b"data"[..], b"event", b"id", b"retry"].contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EventSplitter, Frame, event_data};

    /// Splits these chunks and returns the complete events and the rest.
    fn pieces(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<u8>) {
        let (mut events, mut found) = (EventSplitter::default(), Vec::new());
        for chunk in chunks {
            events.feed(chunk, |frame| match frame {
                Frame::Event(event) => found.push(event.to_vec()),
                Frame::Oversized(_) => panic!("nothing is that long"),
            });
        }
        (found, events.into_pending())
    }

    #[test]
    fn events_end_with_an_empty_line() {
        let (events, rest) = pieces(&[b"data: a\n\nevent: x\r\ndata: b\r", b"\n\r\n", b": c\n\ndata: d\n"]);
        assert_eq!(events, [&b"data: a\n\n"[..], b"event: x\r\ndata: b\r\n\r\n", b": c\n\n"]);
        assert_eq!(rest, b"data: d\n");
    }

    #[test]
    fn the_data_of_several_lines_is_joined() {
        let check = |event: &[u8], expected: Option<&[u8]>| assert_eq!(event_data(event).as_deref(), expected);
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
