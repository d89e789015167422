//! Imports the JSON Lines of an export into a log.

use std::io::{self, BufRead};

use event_bus::{Chain, EventLog, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, TextStore};
use event_core::{Position, Recorded};

use super::{
    ExchangeSummary,
    line::{Parsed, TextLine, parse_line},
};
use crate::{error::EngineError, exchange_error::ExchangeError};

/// The maximum length of a line, in bytes: enough for a text of 16 MiB with its escapes.
const MAX_LINE_BYTES: u64 = 128 * 1024 * 1024;
/// The maximum number of bytes that a frame adds to a payload: header and kind.
const MAX_FRAME_OVERHEAD: usize = 512;

/// Whether an import requires a hash chain in the lines with events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainCheck {
    /// A line without a chain is an error.
    Required,
    /// Lines without a chain are accepted. A chain that is present must still be valid.
    Optional,
}

/// Imports the lines of an export into a log that is empty or ends at or after the event before the first line. Events
/// that the log already has are counted and skipped.
///
/// All events before the first invalid line are imported, durably on return, even if the result is an error. `progress`
/// receives the length of each line in bytes.
///
/// # Errors
/// [`EngineError::Exchange`] with the number of the first invalid line, or if the lines do not continue the log or
/// cannot be read; [`EngineError::Log`] if the log or the text store fails.
pub fn import(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    chains: ChainCheck,
    input: &mut dyn BufRead,
    mut progress: impl FnMut(u64),
) -> Result<ExchangeSummary, EngineError> {
    let head = log.head()?;
    let summary = ExchangeSummary { chain: log.chain_at(head)?, ..ExchangeSummary::default() };
    let pending = Vec::new();
    let mut import = Import { log, texts, chains, head, previous: None, pending, pending_bytes: 0, summary };
    let outcome = import.import_lines(input, &mut progress);
    // Lines before an invalid one are kept. If the log rejects one of them, that earlier line is reported.
    import.flush()?;
    outcome.map(|()| import.summary)
}

/// The state of importing an exported log, between two lines.
struct Import<'a> {
    /// The log to import into.
    log: &'a dyn EventLog,
    /// The store for the texts of the file.
    texts: &'a dyn TextStore,
    /// Whether event lines must have a hash chain.
    chains: ChainCheck,
    /// The last position of the log, including the pending events.
    head: Position,
    /// The position of the previous event line, with the chain after it.
    previous: Option<(Position, Chain)>,
    /// Events to append, each with the number of its line.
    pending: Vec<(u64, Recorded)>,
    /// An upper bound of the size of the pending events in the log, in bytes.
    pending_bytes: usize,
    /// The counts so far, and the hash chain after the last event of the log.
    summary: ExchangeSummary,
}

impl Import<'_> {
    /// Imports all lines up to the first invalid one. The last events may not be appended yet afterwards;
    /// [`Import::flush`] appends them.
    fn import_lines(&mut self, input: &mut dyn BufRead, progress: &mut dyn FnMut(u64)) -> Result<(), EngineError> {
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let mut limited = io::Read::take(&mut *input, MAX_LINE_BYTES);
            let read = limited.read_until(b'\n', &mut bytes).map_err(ExchangeError::from)?;
            if read == 0 {
                break;
            }
            progress(read as u64);
            let invalid_line = |reason: String| ExchangeError::Line { line: number, reason };
            let text = std::str::from_utf8(&bytes).map_err(|error| invalid_line(error.to_string()))?;
            if text.trim().is_empty() {
                continue;
            }
            match parse_line(text).map_err(invalid_line)? {
                Parsed::Text(line) => self.import_text(number, &line)?,
                Parsed::Event(event, stated_chain) => self.import_event(number, *event, stated_chain)?,
            }
        }
        Ok(())
    }

    /// Stores a text of the import. `line` is the number of its line.
    ///
    /// # Errors
    /// [`ExchangeError::Line`] if the content does not have the hash of the line.
    fn import_text(&mut self, line: u64, text: &TextLine) -> Result<(), EngineError> {
        if blake3::hash(text.content.as_bytes()) != text.text.0 {
            let reason = format!("the content is not that of {}", text.text);
            return Err(ExchangeError::Line { line, reason }.into());
        }
        self.texts.put(&text.content)?;
        self.summary.texts += 1;
        Ok(())
    }

    /// Adds an imported event to the next batch if it is the next of the log, or counts it as known if the
    /// log has it. `line` is the number of its line, `stated_chain` the hash chain value in it.
    ///
    /// # Errors
    /// [`ExchangeError::NotAContinuation`] if there is a gap before the event, or the log has another event at its
    /// position; [`ExchangeError::Line`] if the hash chain value in the line is wrong.
    fn import_event(&mut self, line: u64, event: Recorded, stated_chain: Option<Chain>) -> Result<(), EngineError> {
        let not_a_continuation = ExchangeError::NotAContinuation { head: self.head, start: event.position };
        let Some(before) = event.position.previous().filter(|before| *before <= self.head) else {
            return Err(not_a_continuation.into());
        };
        let chain = self.chain_at(before)?.after(&event);
        self.check_chain(line, chain, stated_chain)?;
        self.previous = Some((event.position, chain));
        if before == self.head {
            let bytes = event.event.payload.len() + MAX_FRAME_OVERHEAD;
            // The limits of one barrier.
            if MAX_BATCH_EVENTS <= self.pending.len() || MAX_BATCH_BYTES < self.pending_bytes + bytes {
                self.flush()?;
            }
            self.head = event.position;
            self.summary.chain = Some(chain);
            self.pending_bytes += bytes;
            self.pending.push((line, event));
            return Ok(());
        }
        // The log has this position; the import continues if it has the same event.
        self.flush()?;
        if self.log.chain_at(event.position)? != Some(chain) {
            return Err(not_a_continuation.into());
        }
        self.summary.known += 1;
        Ok(())
    }

    /// Returns the hash chain value at a position, from the previous line or from the log.
    fn chain_at(&mut self, position: Position) -> Result<Chain, EngineError> {
        if let Some((_, chain)) = self.previous.filter(|(previous, _)| *previous == position) {
            return Ok(chain);
        }
        self.flush()?;
        let start = position.next();
        let chain = self.log.chain_at(position)?;
        chain.ok_or_else(|| ExchangeError::NotAContinuation { head: self.head, start }.into())
    }

    /// Compares the computed hash chain value of an event with the one in its line. A line without one is counted, or
    /// is an error if chains are required.
    fn check_chain(&mut self, line: u64, chain: Chain, stated_chain: Option<Chain>) -> Result<(), ExchangeError> {
        let reason = match stated_chain {
            Some(stated) if stated == chain => return Ok(()),
            Some(_) => "the hash chain does not hold: this line was changed, or one before it was changed or dropped",
            None if self.chains == ChainCheck::Optional => {
                self.summary.unchained += 1;
                return Ok(());
            }
            None => "it carries no hash chain, so nothing shows whether it was changed",
        };
        Err(ExchangeError::Line { line, reason: reason.to_owned() })
    }

    /// Appends the collected events to the log and waits until they are durable. If the log rejects one, the events
    /// before it are appended nevertheless, and the error has the number of its line.
    fn flush(&mut self) -> Result<(), EngineError> {
        let pending = std::mem::take(&mut self.pending);
        self.pending_bytes = 0;
        let events: Vec<_> = pending.iter().map(|(_, event)| event.clone()).collect();
        match self.log.restore(&events) {
            Ok(_) => self.summary.events += events.len() as u64,
            // None of them was appended: tries them one by one to find the invalid line.
            Err(_) => {
                for (line, event) in pending {
                    self.log.restore(std::slice::from_ref(&event)).map_err(|error| append_error(line, error))?;
                    self.log.sync()?;
                    self.summary.events += 1;
                }
            }
        }
        Ok(self.log.sync()?)
    }
}

/// Converts the error of appending an imported event. An event that the log rejects is an invalid line; a failing log
/// is not.
fn append_error(line: u64, error: LogError) -> EngineError {
    match error {
        LogError::OutOfOrder { .. } | LogError::Repeated { .. } | LogError::Oversized { .. } => {
            ExchangeError::Line { line, reason: error.to_string() }.into()
        }
        error => error.into(),
    }
}
