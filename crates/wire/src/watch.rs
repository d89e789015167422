//! Inspects a response while it is passed on.

pub(crate) mod summary_builder;

use contracts::WireApi;

use crate::{
    api,
    errors::classify,
    events::{EventSplitter, Frame, data},
    json::{Cursor, Value},
    response_summary::ResponseSummary,
};

use summary_builder::SummaryBuilder;

/// The longest response that is inspected if it is not streamed, in bytes.
const MAX_WHOLE_BYTES: usize = 64 * 1024 * 1024;

/// Observes a response while it is forwarded. It buffers at most one event of a stream, or one response that is not
/// streamed.
#[derive(Debug)]
pub struct ResponseInspector {
    api: WireApi,
    body: Body,
    summary: SummaryBuilder,
}

/// The form of the response, with the buffered part.
#[derive(Debug)]
enum Body {
    /// A stream was requested, and only white space has arrived.
    Unknown,
    EventSplitter(EventSplitter),
    Whole(Vec<u8>),
    /// Too long; ignored.
    Oversized,
}

impl ResponseInspector {
    /// Creates a watcher. If a stream was requested, the response may nevertheless not be streamed: errors are not, and
    /// Gemini's responses are not without `alt=sse`.
    pub fn new(api: WireApi, streaming: bool) -> Self {
        let body = if streaming { Body::Unknown } else { Body::Whole(Vec::new()) };
        Self { api, body, summary: SummaryBuilder::default() }
    }

    /// Reads the next chunk of the response.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Body::Unknown = self.body {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => self.body = Body::Whole(Vec::new()),
                Some(_) => self.body = Body::EventSplitter(EventSplitter::default()),
            }
        }
        match &mut self.body {
            Body::EventSplitter(events) => {
                let (api, summary) = (self.api, &mut self.summary);
                events.feed(bytes, |frame| {
                    if let Frame::Event(event) = frame {
                        read_event(api, summary, event);
                    }
                });
            }
            Body::Whole(whole) if whole.len() + bytes.len() > MAX_WHOLE_BYTES => self.body = Body::Oversized,
            Body::Whole(whole) => whole.extend_from_slice(bytes),
            Body::Unknown | Body::Oversized => {}
        }
    }

    /// Returns the summary after the end of the response.
    pub fn finish(mut self) -> ResponseSummary {
        match std::mem::replace(&mut self.body, Body::Oversized) {
            // The last event may lack its empty line.
            Body::EventSplitter(events) => read_event(self.api, &mut self.summary, &events.rest()),
            Body::Whole(whole) => {
                if let Ok(text) = std::str::from_utf8(&whole) {
                    self.whole(text);
                }
            }
            Body::Unknown | Body::Oversized => {}
        }
        self.summary.finish(self.api)
    }

    fn whole(&mut self, text: &str) {
        // Without `alt=sse`, Gemini streams its chunks as one list.
        if text.trim_start().starts_with('[') {
            let list = Cursor::new(text).value();
            list.iter()
                .flat_map(Value::elements)
                .for_each(|part| read_json(self.api, &mut self.summary, part.raw, true));
        } else {
            read_json(self.api, &mut self.summary, text, true);
        }
    }
}

fn read_event(api: WireApi, summary: &mut SummaryBuilder, event: &[u8]) {
    let Some(data) = data(event) else { return };
    let Ok(text) = std::str::from_utf8(&data) else { return };
    if text.starts_with("[DONE]") {
        summary.complete |= api::of(api).ends_with_done();
    } else {
        read_json(api, summary, text, false);
    }
}

/// Reads the data of one event, or a response that is not streamed. Invalid JSON is ignored.
fn read_json(api: WireApi, summary: &mut SummaryBuilder, text: &str, whole: bool) {
    let format = api::of(api);
    let error = if whole { format.inspect_response(summary, text) } else { format.inspect_event(summary, text) };
    if let Some(error) = error.filter(|error| !error.is_null()) {
        summary.error = Some(classify(api, status_in(&error), text.as_bytes()));
    }
}

/// Returns the members of these names if the whole text is an object.
pub(crate) fn members_of<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Option<[Option<Value<'a>>; N]> {
    Cursor::new(text).get_many(names).ok().flatten()
}

/// Returns the status in an error object; 0 if it has none.
fn status_in(error: &Value<'_>) -> u16 {
    let code = error.get("code").and_then(|code| code.as_u64());
    code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
