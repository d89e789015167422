//! A streamed answer, said in another API while it comes.

use std::fmt::Debug;

use contracts::{WireApi, events::ErrorClass};

use super::{
    ConvertError,
    blocks::Blocks,
    canonical::response::{Event, Failure, Head, Kind},
};
use crate::{
    api,
    events::{self, Events, Piece},
};

/// Reads the events of a provider's stream.
pub(crate) trait ReadEvents: Debug + Send {
    /// What the data of one event says.
    fn read(&mut self, data: &str, blocks: &mut Blocks) -> Result<(), ConvertError>;

    /// The stream is over. Says how the answer ended, when that was clear already.
    fn end(&mut self, blocks: &mut Blocks) -> Result<(), ConvertError>;
}

/// Writes the events of a client's stream.
pub(crate) trait WriteEvents: Debug + Send {
    /// Says one event.
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError>;
}

/// A streamed answer, event by event.
///
/// Whatever the provider sends, the client gets a stream that is valid in its API: it begins once, and it ends once,
/// with the reason why the model stopped or with an error.
#[derive(Debug)]
pub struct StreamConverter {
    events: Events,
    reader: Box<dyn ReadEvents>,
    blocks: Blocks,
    thinking: Thinking,
    writer: Box<dyn WriteEvents>,
    failed: bool,
}

impl StreamConverter {
    /// A converter for an answer from a provider that speaks `from` to a client that speaks `to`. The client knows the
    /// model as `client_model`, and the answer as `answer_id`, created `created_unix` seconds after 1970.
    pub fn new(from: WireApi, to: WireApi, client_model: &str, answer_id: String, created_unix: u64) -> Self {
        let head = Head { id: answer_id, model: client_model.to_owned(), created: created_unix };
        Self {
            events: Events::default(),
            reader: api::of(from).stream_reader(&head.id),
            blocks: Blocks::default(),
            thinking: Thinking::for_client(to),
            writer: api::of(to).stream_writer(head),
            failed: false,
        }
    }

    /// More of the provider's stream; what the client gets for it is added to `out`.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] when the stream is not what its API describes, and [`ConvertError::ProviderFailed`]
    /// when it is an error: once, after which everything else is ignored. The client has been told by then.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        if self.failed {
            return Ok(());
        }
        let result = self.read(bytes, out);
        self.settle(result, out)
    }

    /// The provider's stream is over.
    ///
    /// # Errors
    /// [`ConvertError::EndedEarly`] when the answer was not complete, and those of [`StreamConverter::feed`]. The
    /// client has been told by then.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        if self.failed {
            return Ok(());
        }
        let result = self.end(out);
        self.settle(result, out)
    }

    fn read(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let mut events = std::mem::take(&mut self.events);
        let mut result = Ok(());
        events.feed(bytes, |piece| {
            if result.is_ok() {
                result = match piece {
                    Piece::Event(event) => self.read_event(event, out),
                    Piece::Overlong(_) => Err(ConvertError::malformed("the stream", "has an event that is too long")),
                };
            }
        });
        self.events = events;
        result
    }

    fn read_event(&mut self, event: &[u8], out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let data = events::data(event).unwrap_or_default();
        if data.is_empty() || self.blocks.has_ended() {
            return Ok(());
        }
        let data = std::str::from_utf8(&data).map_err(|_| ConvertError::malformed("the stream", "is not UTF-8"))?;
        self.reader.read(data, &mut self.blocks)?;
        self.write_ready(out)
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        // The empty line behind the last event may be missing.
        let rest = std::mem::take(&mut self.events).rest();
        self.read_event(&rest, out)?;
        if !self.blocks.has_ended() {
            self.reader.end(&mut self.blocks)?;
            self.write_ready(out)?;
        }
        if self.blocks.has_ended() { Ok(()) } else { Err(ConvertError::EndedEarly) }
    }

    fn write_ready(&mut self, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        while let Some(event) = self.blocks.next() {
            let failed = matches!(event, Event::Failed(_));
            if let Some(event) = self.thinking.show(event) {
                self.writer.write(event, out)?;
            }
            if failed {
                return Err(ConvertError::ProviderFailed);
            }
        }
        Ok(())
    }

    /// Tells the client about a failure of the stream.
    fn settle(&mut self, result: Result<(), ConvertError>, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        let Err(error) = result else { return Ok(()) };
        self.failed = true;
        if error != ConvertError::ProviderFailed {
            let failure = Failure { class: ErrorClass::ServerError, message: error.to_string() };
            self.writer.write(Event::Failed(failure), out)?;
        }
        Err(error)
    }
}

/// What a client is shown of thinking.
#[derive(Debug)]
pub(crate) struct Thinking {
    is_shown: bool,
    /// How many blocks were hidden, by which the indices of the others move.
    hidden: usize,
    is_open: bool,
}

impl Thinking {
    /// Clients of Messages and Responses send back the blocks that they were given, and their providers refuse thinking
    /// that they did not sign. So thinking is hidden from them.
    pub(crate) fn for_client(api: WireApi) -> Self {
        Self { is_shown: api::of(api).takes_unsigned_thinking(), hidden: 0, is_open: false }
    }

    /// The event as the client is to see it, if it is.
    pub(crate) fn show(&mut self, event: Event) -> Option<Event> {
        match event {
            event if self.is_shown => Some(event),
            Event::BlockStarted { kind: Kind::Thinking, .. } => {
                self.hidden += 1;
                self.is_open = true;
                None
            }
            Event::BlockStarted { index, kind } => Some(Event::BlockStarted { index: index - self.hidden, kind }),
            Event::Delta(_) if self.is_open => Some(Event::Thinking),
            Event::BlockStopped if self.is_open => {
                self.is_open = false;
                None
            }
            event => Some(event),
        }
    }
}
