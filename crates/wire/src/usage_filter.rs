//! Removes the usage from a stream of chat completions if the client did not request it.

use crate::{
    edit::{Edit, append_edited, removal_edits},
    events::{EventSplitter, Frame, event_data},
    json::{Cursor, Value},
};

/// Removes the usage from a streamed chat completion, for a client that did not request it.
///
/// It drops the chunk that contains only the usage, and removes the member `usage` from other chunks. All other bytes
/// are forwarded unchanged. Each event is forwarded once it is complete.
#[derive(Debug, Default)]
pub struct UsageFilter {
    /// Splits the stream into events.
    events: EventSplitter,
}

impl UsageFilter {
    /// Creates a filter for one stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next bytes of the provider's stream and appends the events that they complete, without their usage, to
    /// `out`. An event over the size limit is appended unchanged.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.events.feed(bytes, |frame| match frame {
            Frame::Event(event) => append_filtered(event, out),
            Frame::Oversized(bytes) => out.extend_from_slice(bytes),
        });
    }

    /// Handles the end of the stream: appends the bytes after the last complete event, without their usage, to `out`.
    pub fn finish(self, out: &mut Vec<u8>) {
        append_filtered(&self.events.into_pending(), out);
    }
}

/// Appends an event to `out` without its usage, or nothing if it contains only the usage.
fn append_filtered(event: &[u8], out: &mut Vec<u8>) {
    match find_removal(event) {
        Some(Removal::Event) => {}
        Some(Removal::Member(edits)) => append_edited(event, &edits, out),
        None => out.extend_from_slice(event),
    }
}

/// The part of a server-sent event that is removed, because it contains the usage.
enum Removal {
    /// The complete event, which contains only the usage.
    Event,
    /// The member `usage`, by these edits of the event.
    Member(Vec<Edit>),
}

/// Returns the part of an event to remove, which is the usage in its data; `None` if there is none. Data of several
/// lines is only removed as a complete event.
fn find_removal(event: &[u8]) -> Option<Removal> {
    let data = event_data(event)?;
    let text = std::str::from_utf8(&data).ok().filter(|text| text.contains("\"usage\""))?;
    let [usage, choices] = Cursor::new(text).get_many(["usage", "choices"]).ok()??;
    let usage = usage?;
    if !usage.is_null() && choices.is_some_and(|choices| choices.is_falsy()) {
        return Some(Removal::Event);
    }
    // Data in one line is in the event verbatim, so its offsets are valid. Data of several lines is not edited.
    let start = event.windows(data.len()).position(|window| window == data.as_ref())?;
    let member = |(name, value): (Value<'_>, Value<'_>)| {
        let is_removed = name.string().as_deref() == Some("usage");
        (start + name.start..start + value.span().end, is_removed)
    };
    let members: Vec<_> = Cursor::new(text).read_value().ok()?.members().map(member).collect();
    Some(Removal::Member(removal_edits(&members)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::UsageFilter;

    /// Returns the filtered stream of these chunks.
    fn passed(chunks: &[&[u8]]) -> String {
        let (mut hider, mut out) = (UsageFilter::new(), Vec::new());
        for chunk in chunks {
            hider.feed(chunk, &mut out);
        }
        hider.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// A stream with usage in a chunk of its own and as a `null` member of other chunks.
    const STREAM: &str = concat!(
        ": ping\n\n",
        "data: {\"id\":\"c\", \"choices\":[{\"delta\":{\"content\":\"the \\\"usage\\\" of é\"}}] , \"usage\":null}\n\n",
        "data: {\"usage\":null,\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n",
        "data: [DONE]\n\n",
    );

    /// The expected output of the filter for [`STREAM`].
    const HIDDEN: &str = concat!(
        ": ping\n\n",
        "data: {\"id\":\"c\", \"choices\":[{\"delta\":{\"content\":\"the \\\"usage\\\" of é\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\r\n\r\n",
        "data: [DONE]\n\n",
    );

    #[test]
    fn usage_goes_and_everything_else_stays() {
        assert_eq!(passed(&[STREAM.as_bytes()]), HIDDEN);
    }

    /// The last chunk is forwarded without its usage if it has other content.
    #[test]
    fn a_last_chunk_that_still_says_something_only_loses_its_usage() {
        let last = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}],\"usage\":{\"prompt_tokens\":5}}\n\n";
        assert_eq!(passed(&[last.as_bytes()]), "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
    }

    /// Events that are not chunks with a usage are forwarded unchanged.
    #[test]
    fn what_is_no_chunk_passes_as_it_is() {
        for text in
            ["data: {\"usage\":\n\n", "{\"usage\":null}", "data: \"usage\"\n\n", "\n\n\n", "data: {\"error\":{}}\n"]
        {
            assert_eq!(passed(&[text.as_bytes()]), text);
        }
    }

    /// An event is forwarded as soon as its empty line has arrived.
    #[test]
    fn an_event_passes_as_soon_as_it_is_whole() {
        let (mut hider, mut out) = (UsageFilter::new(), Vec::new());
        hider.feed(b"data: {\"choices\":[1]}\n", &mut out);
        assert!(out.is_empty());
        hider.feed(b"\ndata: {", &mut out);
        assert_eq!(out, b"data: {\"choices\":[1]}\n\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn what_passes_does_not_depend_on_chunks(cuts in prop::collection::vec(0..STREAM.len(), 0..12)) {
            let mut cuts: Vec<_> = cuts.into_iter().chain([0, STREAM.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|pair| &STREAM.as_bytes()[pair[0]..pair[1]]).collect();
            prop_assert_eq!(passed(&chunks), HIDDEN);
        }

        #[test]
        fn streams_without_usage_pass_byte_for_byte(text in "[a-z{}\":\\[\\],\r\n ]{0,80}") {
            prop_assert_eq!(passed(&[text.as_bytes()]), text);
        }
    }
}
