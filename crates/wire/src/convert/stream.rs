//! Converts a streamed response event by event, and hides thinking from clients that cannot handle it.

use std::fmt::Debug;

use contracts::{WireApi, events::ErrorClass};

use super::{
    ConvertError,
    blocks::BlockSequencer,
    canonical::response::{BlockKind, Event, Failure, ResponseHead},
};
use crate::{
    api,
    events::{self, EventSplitter, Frame},
};

/// Parses a provider's streamed response to canonical events. Each API has an implementation.
pub(crate) trait ReadStream: Debug + Send {
    /// Parses the data of one server-sent event and adds its content to `blocks`, the response in the form that is
    /// independent of the API.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the data does not follow the API.
    fn read(&mut self, data: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError>;

    /// Handles the end of the provider's stream: ends the response in `blocks` if its stop reason is known.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the content is incomplete, such as a tool call without a name.
    fn end(&mut self, blocks: &mut BlockSequencer) -> Result<(), ConvertError>;
}

/// Writes canonical events as the streamed response to a client. Each API has an implementation.
pub(crate) trait WriteStream: Debug + Send {
    /// Appends a canonical event to `out`, as zero or more server-sent events of the client's API.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the API cannot represent the event.
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError>;
}

/// Converts a streamed response from the provider's API to the client's, event by event.
///
/// The client always receives a stream that is valid in its API, even if the provider's is not: it starts once, and it
/// ends once, with a stop reason or an error.
#[derive(Debug)]
pub struct StreamConverter {
    /// Splits the provider's stream into server-sent events.
    events: EventSplitter,
    /// Parses the events in the provider's API.
    reader: Box<dyn ReadStream>,
    /// Orders the parsed content as canonical events.
    blocks: BlockSequencer,
    /// Removes thinking that the client must not receive.
    thinking: ThinkingFilter,
    /// Writes canonical events in the client's API.
    writer: Box<dyn WriteStream>,
    /// Whether an error was written; all further input is ignored.
    has_failed: bool,
}

impl StreamConverter {
    /// Creates a converter for a response from a provider with the API `from` to a client with the API `to`. In the
    /// client's stream the model is named `client_model`, and the response has the id `response_id` and the creation
    /// time `created_unix`, in seconds since 1970.
    pub fn new(from: WireApi, to: WireApi, client_model: &str, response_id: String, created_unix: u64) -> Self {
        let head = ResponseHead { id: response_id, model: client_model.to_owned(), created: created_unix };
        Self {
            events: EventSplitter::default(),
            reader: api::implementation(from).stream_reader(&head.id),
            blocks: BlockSequencer::default(),
            thinking: ThinkingFilter::for_client(to),
            writer: api::implementation(to).stream_writer(head),
            has_failed: false,
        }
    }

    /// Reads the next bytes of the provider's stream and appends the converted events to `out`.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the stream does not follow its API, and [`ConvertError::ProviderFailed`] if it is
    /// an error. The error is already in `out`, and all further input is ignored.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        if self.has_failed {
            return Ok(());
        }
        let result = self.read(bytes, out);
        self.report_error(result, out)
    }

    /// Handles the end of the provider's stream, and appends the end of the client's stream to `out`.
    ///
    /// # Errors
    /// [`ConvertError::EndedEarly`] if the response is incomplete, and those of [`StreamConverter::feed`]. The error is
    /// already in `out`.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        if self.has_failed {
            return Ok(());
        }
        let result = self.end(out);
        self.report_error(result, out)
    }

    /// Converts the events of the provider's stream that are complete with these bytes, up to the first error.
    ///
    /// # Errors
    /// Those of `read_event`, and [`ConvertError::Malformed`] for an event over the size limit.
    fn read(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let mut events = std::mem::take(&mut self.events);
        let mut result = Ok(());
        events.feed(bytes, |chunk| {
            if result.is_ok() {
                result = match chunk {
                    Frame::Event(event) => self.read_event(event, out),
                    Frame::Oversized(_) => Err(ConvertError::malformed("the stream", "has an event that is too long")),
                };
            }
        });
        self.events = events;
        result
    }

    /// Converts one event of the provider's stream and appends the result to `out`. Events without data, and events
    /// after the end of the response, are ignored.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the event does not follow its API, [`ConvertError::ProviderFailed`] if it is an
    /// error.
    fn read_event(&mut self, event: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let data = events::event_data(event).unwrap_or_default();
        if data.is_empty() || self.blocks.has_ended() {
            return Ok(());
        }
        let data = std::str::from_utf8(&data).map_err(|_| ConvertError::malformed("the stream", "is not UTF-8"))?;
        self.reader.read(data, &mut self.blocks)?;
        self.blocks.check_size()?;
        self.write_ready(out)
    }

    /// Converts the last event of the provider's stream, whose empty line may be missing, and ends the response.
    ///
    /// # Errors
    /// [`ConvertError::EndedEarly`] if the response is incomplete, and those of `read_event`.
    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        // The empty line after the last event may be missing.
        let last_event = std::mem::take(&mut self.events).into_pending();
        self.read_event(&last_event, out)?;
        if !self.blocks.has_ended() {
            self.reader.end(&mut self.blocks)?;
            self.write_ready(out)?;
        }
        if self.blocks.has_ended() { Ok(()) } else { Err(ConvertError::EndedEarly) }
    }

    /// Writes the converted events that are ready to the client's stream.
    ///
    /// # Errors
    /// [`ConvertError::ProviderFailed`] after writing an error of the provider.
    fn write_ready(&mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        while let Some(event) = self.blocks.next_event() {
            let is_failure = matches!(event, Event::Failed(_));
            if let Some(event) = self.thinking.filter(event) {
                self.writer.write(event, out)?;
            }
            if is_failure {
                return Err(ConvertError::ProviderFailed);
            }
        }
        Ok(())
    }

    /// Writes the error in `result` to the client's stream, unless it is the provider's own error, which is written
    /// already. After an error, further input is ignored. Returns `result`.
    fn report_error(&mut self, result: Result<(), ConvertError>, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let Err(error) = result else { return Ok(()) };
        self.has_failed = true;
        if error != ConvertError::ProviderFailed {
            let failure = Failure { class: ErrorClass::ServerError, message: error.to_string() };
            self.writer.write(Event::Failed(failure), out)?;
        }
        Err(error)
    }
}

/// Removes thinking from a response for clients that would send it back without its signature.
///
/// Each hidden delta becomes [`Event::HiddenThinking`], so that the client's connection does not time out.
#[derive(Debug)]
pub(crate) struct ThinkingFilter {
    /// Whether the client receives thinking, so that nothing is removed.
    shows_thinking: bool,
    /// The number of hidden blocks, which is subtracted from later indices.
    hidden_blocks: usize,
    /// Whether a hidden block is open.
    in_hidden_block: bool,
}

impl ThinkingFilter {
    /// Creates the filter for a client's API. Clients of Messages and Responses send back the blocks they received, and
    /// their providers reject thinking without their signature, so it is hidden from them.
    pub(crate) fn for_client(api: WireApi) -> Self {
        Self {
            shows_thinking: api::implementation(api).takes_unsigned_thinking(),
            hidden_blocks: 0,
            in_hidden_block: false,
        }
    }

    /// Returns an event of the response as the client receives it, with its block index adjusted. A delta of hidden
    /// thinking becomes [`Event::HiddenThinking`]; `None` for the start and end of a hidden block.
    pub(crate) fn filter(&mut self, event: Event) -> Option<Event> {
        match event {
            event if self.shows_thinking => Some(event),
            Event::BlockStarted { kind: BlockKind::Thinking, .. } => {
                self.hidden_blocks += 1;
                self.in_hidden_block = true;
                None
            }
            Event::BlockStarted { index, kind } => {
                Some(Event::BlockStarted { index: index - self.hidden_blocks, kind })
            }
            Event::Delta(_) if self.in_hidden_block => Some(Event::HiddenThinking),
            Event::BlockStopped if self.in_hidden_block => {
                self.in_hidden_block = false;
                None
            }
            event => Some(event),
        }
    }
}
