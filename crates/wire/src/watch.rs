//! Inspects a response while it is forwarded: extracts usage, tool calls, stop reason and errors for the log.

pub(crate) mod summary_builder;

use contracts::{ResponseSummary, WireApi, events::ErrorClass};

use crate::{
    api,
    defect::ResponseDefect,
    errors::classify,
    events::{EventSplitter, Frame, event_data, has_only_fields},
    json::{Cursor, Value},
};

use summary_builder::SummaryBuilder;

/// The maximum length in bytes of a response that is not streamed; a longer one is not inspected.
const MAX_COMPLETE_BYTES: usize = 64 * 1024 * 1024;

/// Summarises a provider's response while it is forwarded to the client, and detects the first place where the response
/// does not follow its API (a defect). It buffers at most one event of a stream, or one response that is not streamed.
#[derive(Debug)]
pub struct ResponseInspector {
    /// The API of the response.
    api: WireApi,
    /// The bytes that are not inspected yet.
    body: BufferedBody,
    /// The summary so far.
    summary: SummaryBuilder,
    /// The number of bytes of the response that were read so far.
    received_bytes: u64,
    /// The number of bytes up to the end of the last event of a stream before the first defect; 0 while only blank lines were
    /// received.
    checked_bytes: u64,
    /// Whether an event of a stream was received that is more than blank lines.
    has_event: bool,
    /// The first defect of the response; `None` while the response follows its API.
    defect: Option<ResponseDefect>,
    /// Whether the event that ends a response was received before the first defect.
    is_complete_before_defect: bool,
}

/// The form of a response body, with the bytes that are buffered because they are not inspected yet.
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
    /// The response has ended, and its end was inspected.
    Ended,
}

impl ResponseInspector {
    /// Creates an inspector for a response of `api`; `streaming` is true if a stream was requested. Even then the
    /// response may not be streamed: errors are not, and Gemini sends no events without `alt=sse`.
    pub fn new(api: WireApi, streaming: bool) -> Self {
        let body = if streaming { BufferedBody::Unknown } else { BufferedBody::Complete(Vec::new()) };
        Self {
            api,
            body,
            summary: SummaryBuilder::default(),
            received_bytes: 0,
            checked_bytes: 0,
            has_event: false,
            defect: None,
            is_complete_before_defect: false,
        }
    }

    /// Reads the next bytes of the response, and adds the events that they complete to the response summary. If a
    /// stream was requested, the first byte that is not white space decides whether the response is a stream: `{` or
    /// `[` starts one that is not.
    pub fn feed(&mut self, bytes: &[u8]) {
        let received_before = self.received_bytes;
        self.received_bytes += bytes.len() as u64;
        if let BufferedBody::Unknown = self.body {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => return,
                Some(b'{' | b'[') => self.body = BufferedBody::Complete(Vec::new()),
                Some(_) => self.body = BufferedBody::Stream(EventSplitter::default()),
            }
        }
        match &mut self.body {
            BufferedBody::Stream(events) => {
                let had_defect = self.defect.is_some();
                let (api, summary, defect) = (self.api, &mut self.summary, &mut self.defect);
                let (is_complete_before_defect, has_event) = (&mut self.is_complete_before_defect, &mut self.has_event);
                let mut event_start = received_before.saturating_sub(events.pending_bytes() as u64);
                events.feed(bytes, |frame| {
                    let frame_defect = match frame {
                        Frame::Event(event) => read_event(api, summary, event),
                        Frame::Oversized(_) => Some(ResponseDefect::TooLarge),
                    };
                    if defect.is_none() && frame_defect.is_some() {
                        *defect = frame_defect;
                        *is_complete_before_defect = summary.complete;
                    }
                    if let (None, Frame::Event(event)) = (&defect, frame) {
                        event_start += event.len() as u64;
                        *has_event |= event.iter().any(|byte| !byte.is_ascii_whitespace());
                    }
                });
                if !had_defect && self.has_event {
                    self.checked_bytes = event_start;
                }
            }
            BufferedBody::Complete(bytes_so_far) if bytes_so_far.len() + bytes.len() > MAX_COMPLETE_BYTES => {
                self.body = BufferedBody::Oversized;
            }
            BufferedBody::Complete(bytes_so_far) => bytes_so_far.extend_from_slice(bytes),
            BufferedBody::Unknown | BufferedBody::Oversized | BufferedBody::Ended => {}
        }
    }

    /// Returns whether the response is not streamed, although a stream was requested; false while that is unknown.
    pub const fn is_whole(&self) -> bool {
        matches!(self.body, BufferedBody::Complete(_) | BufferedBody::Oversized)
    }

    /// Returns the number of bytes at the start of a stream that consist of complete events that follow the API; 0 while only
    /// blank lines were received, since any text may follow them.
    pub const fn checked_bytes(&self) -> u64 {
        self.checked_bytes
    }

    /// Returns the first defect of the response so far; `None` if there is none.
    pub const fn defect(&self) -> Option<ResponseDefect> {
        self.defect
    }

    /// Returns the class of the error that the provider reported in the response so far; `None` if there is none.
    pub const fn error(&self) -> Option<ErrorClass> {
        self.summary.error
    }

    /// Returns whether the event that ends a response was received, before any defect.
    pub const fn is_complete(&self) -> bool {
        if self.defect.is_some() { self.is_complete_before_defect } else { self.summary.complete }
    }

    /// Inspects the buffered bytes at the end of the response, such as a response that is not streamed or an event
    /// without its empty line. Returns the first defect of the response; `None` if it is complete or reports an error.
    pub fn end(&mut self) -> Option<ResponseDefect> {
        let end_defect = match std::mem::replace(&mut self.body, BufferedBody::Ended) {
            // The last event may lack its empty line.
            BufferedBody::Stream(events) => {
                let last_event_defect = read_event(self.api, &mut self.summary, &events.into_pending());
                if last_event_defect.is_none() && self.defect.is_none() {
                    self.checked_bytes = self.received_bytes;
                }
                let is_ended = self.summary.complete || self.summary.error.is_some();
                match last_event_defect {
                    // No event was valid, so the response is no stream.
                    Some(defect) if self.checked_bytes == 0 => Some(defect),
                    last_event_defect => {
                        (last_event_defect.is_some() || !is_ended).then_some(ResponseDefect::Incomplete)
                    }
                }
            }
            BufferedBody::Complete(bytes) => self.inspect_complete(&bytes),
            BufferedBody::Unknown => Some(ResponseDefect::Empty),
            BufferedBody::Oversized => Some(ResponseDefect::TooLarge),
            BufferedBody::Ended => None,
        };
        self.defect = self.defect.or(end_defect);
        self.defect
    }

    /// Inspects the end of the response, unless [`ResponseInspector::end`] did, and returns the summary.
    pub fn finish(mut self) -> ResponseSummary {
        self.end();
        self.summary.finish(self.api)
    }

    /// Adds a response that is not streamed to the response summary. Returns its defect; `None` if it follows its API
    /// or is an error of the provider.
    fn inspect_complete(&mut self, bytes: &[u8]) -> Option<ResponseDefect> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Some(ResponseDefect::Empty);
        }
        let Ok(text) = std::str::from_utf8(bytes) else { return Some(ResponseDefect::NotJson) };
        let implementation = api::implementation(self.api);
        // Without `alt=sse`, Gemini streams its chunks as one list. No other API has lists.
        if self.api == WireApi::Gemini && text.trim_start().starts_with('[') {
            let Ok(list) = read_json_text(text) else { return Some(ResponseDefect::NotJson) };
            list.iter()
                .flat_map(Value::elements)
                .for_each(|part| read_json(self.api, &mut self.summary, part.raw, true));
            let is_answer = self.summary.complete || self.summary.error.is_some();
            return (!is_answer).then_some(ResponseDefect::NotOfApi);
        }
        read_json(self.api, &mut self.summary, text, true);
        let body = match read_json_text(text) {
            Err(defect) => return Some(defect),
            Ok(None) => return None,
            Ok(Some(body)) => body,
        };
        let is_answer = self.summary.error.is_some() || implementation.is_response(&body);
        (!is_answer).then_some(ResponseDefect::NotOfApi)
    }
}

/// Adds one event of a stream to the response summary; events without data are ignored. Returns the event's defect;
/// `None` if it follows the API.
fn read_event(api: WireApi, summary: &mut SummaryBuilder, event: &[u8]) -> Option<ResponseDefect> {
    let Some(data) = event_data(event) else {
        return (!has_only_fields(event)).then_some(ResponseDefect::NotEvents);
    };
    let Ok(text) = std::str::from_utf8(&data) else { return Some(ResponseDefect::NotJson) };
    if text.starts_with("[DONE]") {
        summary.complete |= api::implementation(api).ends_with_done();
        return None;
    }
    if text.trim().is_empty() {
        return None;
    }
    read_json(api, summary, text, false);
    match read_json_text(text) {
        Err(defect) => Some(defect),
        Ok(None) => None,
        Ok(Some(data)) => {
            let known_members = api::implementation(api).event_members();
            let is_known =
                |(name, _): (Value<'_>, Value<'_>)| name.string().is_some_and(|name| known_members.contains(&&*name));
            (!data.members().any(is_known)).then_some(ResponseDefect::NotOfApi)
        }
    }
}

/// Parses a JSON text to its outermost value; `None` for valid JSON that is nested too deeply to be inspected.
///
/// # Errors
/// [`ResponseDefect::NotJson`] if the text is not one JSON value.
fn read_json_text(text: &str) -> Result<Option<Value<'_>>, ResponseDefect> {
    let mut cursor = Cursor::new(text);
    if let Ok(value) = cursor.read_value()
        && cursor.expect_end().is_ok()
    {
        return Ok(Some(value));
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Ok(None),
        Err(_) => Err(ResponseDefect::NotJson),
    }
}

/// Adds JSON text of a response to the response summary, and classifies the error in it, if any. The text is a
/// non-streaming response if `is_complete` is true, and the data of one event otherwise. Invalid JSON is ignored.
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

/// Returns the HTTP status in the error object of a response, from its field `code`; 0 if that is not a number from 400
/// to 599.
fn status_in(error: &Value<'_>) -> u16 {
    let code = error.get("code").and_then(|code| code.as_u64());
    code.and_then(|code| u16::try_from(code).ok()).filter(|code| (400..600).contains(code)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
