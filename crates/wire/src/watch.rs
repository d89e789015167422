//! Inspects a response while it is forwarded: extracts usage, tool calls, stop reason and errors for the log.

pub(crate) mod summary_builder;

use contracts::WireApi;

use crate::{
    api,
    errors::classify,
    events::{EventSplitter, Frame, event_data},
    json::{Cursor, Value},
    response_summary::ResponseSummary,
};

use summary_builder::SummaryBuilder;

/// The maximum length in bytes of a response that is not streamed; a longer one is not inspected.
const MAX_COMPLETE_BYTES: usize = 64 * 1024 * 1024;

/// Summarises a provider's response while it is forwarded to the client. It buffers at most one event of a stream, or
/// one response that is not streamed.
#[derive(Debug)]
pub struct ResponseInspector {
    /// The API of the response.
    api: WireApi,
    /// The bytes that are not inspected yet.
    body: BufferedBody,
    /// The summary so far.
    summary: SummaryBuilder,
}

/// The form of the response body, with the bytes that are buffered because they are not inspected yet.
#[derive(Debug)]
enum BufferedBody {
    /// A stream was requested, and only white space has arrived, so the form is not known.
    Unknown,
    /// A stream of server-sent events.
    Stream(EventSplitter),
    /// A response that is not streamed, up to the current chunk.
    Complete(Vec<u8>),
    /// A response that is not streamed and exceeds the size limit. It is not inspected.
    Oversized,
}

impl ResponseInspector {
    /// Creates an inspector for a response of `api`; `streaming` is true if a stream was requested. Even then the
    /// response may not be streamed: errors are not, and Gemini sends no events without `alt=sse`.
    pub fn new(api: WireApi, streaming: bool) -> Self {
        let body = if streaming { BufferedBody::Unknown } else { BufferedBody::Complete(Vec::new()) };
        Self { api, body, summary: SummaryBuilder::default() }
    }

    /// Reads the next bytes of the response, and adds the events that they complete to the summary. If a stream was
    /// requested, the first byte that is not white space decides whether the response is one: `{` or `[` starts a
    /// response that is not streamed.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let BufferedBody::Unknown = self.body {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => self.body = BufferedBody::Complete(Vec::new()),
                Some(_) => self.body = BufferedBody::Stream(EventSplitter::default()),
            }
        }
        match &mut self.body {
            BufferedBody::Stream(events) => {
                let (api, summary) = (self.api, &mut self.summary);
                events.feed(bytes, |frame| {
                    if let Frame::Event(event) = frame {
                        read_event(api, summary, event);
                    }
                });
            }
            BufferedBody::Complete(bytes_so_far) if bytes_so_far.len() + bytes.len() > MAX_COMPLETE_BYTES => {
                self.body = BufferedBody::Oversized;
            }
            BufferedBody::Complete(bytes_so_far) => bytes_so_far.extend_from_slice(bytes),
            BufferedBody::Unknown | BufferedBody::Oversized => {}
        }
    }

    /// Inspects the buffered bytes at the end of the response, such as a response that is not streamed or an event
    /// without its empty line, and returns the summary.
    pub fn finish(mut self) -> ResponseSummary {
        match std::mem::replace(&mut self.body, BufferedBody::Oversized) {
            // The last event may lack its empty line.
            BufferedBody::Stream(events) => read_event(self.api, &mut self.summary, &events.into_pending()),
            BufferedBody::Complete(bytes_so_far) => {
                if let Ok(text) = std::str::from_utf8(&bytes_so_far) {
                    self.inspect_complete(text);
                }
            }
            BufferedBody::Unknown | BufferedBody::Oversized => {}
        }
        self.summary.finish(self.api)
    }

    /// Adds a response that is not streamed to the summary, given as JSON text.
    fn inspect_complete(&mut self, text: &str) {
        // Without `alt=sse`, Gemini streams its chunks as one list.
        if text.trim_start().starts_with('[') {
            let list = Cursor::new(text).read_value();
            list.iter()
                .flat_map(Value::elements)
                .for_each(|part| read_json(self.api, &mut self.summary, part.raw, true));
        } else {
            read_json(self.api, &mut self.summary, text, true);
        }
    }
}

/// Adds one event of a stream to the summary. Events without data or with invalid UTF-8 are ignored.
fn read_event(api: WireApi, summary: &mut SummaryBuilder, event: &[u8]) {
    let Some(data) = event_data(event) else { return };
    let Ok(text) = std::str::from_utf8(&data) else { return };
    if text.starts_with("[DONE]") {
        summary.complete |= api::implementation(api).ends_with_done();
    } else {
        read_json(api, summary, text, false);
    }
}

/// Adds JSON text to the summary, and classifies the error in it, if any. The text is a response that is not streamed
/// if `is_complete` is true, and the data of one event otherwise. Invalid JSON is ignored.
fn read_json(api: WireApi, summary: &mut SummaryBuilder, text: &str, is_complete: bool) {
    let implementation = api::implementation(api);
    let error = if is_complete {
        implementation.inspect_response(summary, text)
    } else {
        implementation.inspect_event(summary, text)
    };
    if let Some(error) = error.filter(|error| !error.is_null()) {
        summary.error = Some(classify(api, status_in(&error), text.as_bytes()));
    }
}

/// Parses a JSON text and returns the members with these names, in the order of `names`, each `None` if it is missing;
/// `None` if the text is not a JSON object.
pub(crate) fn parse_members<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Option<[Option<Value<'a>>; N]> {
    Cursor::new(text).get_many(names).ok().flatten()
}

/// Returns the HTTP status in an error object, from its field `code`; 0 if that is not a number from 400 to 599.
fn status_in(error: &Value<'_>) -> u16 {
    let code = error.get("code").and_then(|code| code.as_u64());
    code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
