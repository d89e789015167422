//! Imports JSON Lines into a log.

use std::io::{self, BufRead};

use event_bus::{Chain, EventLog, LogError, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, TextStore};
use event_core::{Position, Recorded};

use super::{
    ExchangeError, ExchangeSummary,
    line::{Parsed, TextLine, parse},
};
use crate::error::EngineError;

/// The longest accepted line, in bytes: a text of 16 MiB, escaped.
const MAX_LINE_BYTES: u64 = 128 * 1024 * 1024;
/// The maximum number of bytes that a frame adds to a payload: header and kind.
const MAX_FRAME_OVERHEAD: usize = 512;

/// Whether lines must have a hash chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainCheck {
    /// A line without a chain is an error.
    Required,
    /// Lines without a chain are accepted. A chain that is present must still be valid.
    Optional,
}

/// Imports lines into a log, which must be empty or continue where they start. Events that the log already has are
/// skipped. All lines before the first invalid one are kept. `progress` receives the length of each line in bytes.
///
/// # Errors
/// [`EngineError::Exchange`] with the number of the invalid line.
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

/// An import in progress.
struct Import<'a> {
    log: &'a dyn EventLog,
    texts: &'a dyn TextStore,
    chains: ChainCheck,
    /// The last position of the log, including the pending events.
    head: Position,
    /// The position of the previous event line, with the chain after it.
    previous: Option<(Position, Chain)>,
    /// Events to append, each with the number of its line.
    pending: Vec<(u64, Recorded)>,
    /// An upper bound of their size in bytes.
    pending_bytes: usize,
    summary: ExchangeSummary,
}

impl Import<'_> {
    /// Imports all lines up to the first invalid one. The last events may be pending afterwards.
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
            match parse(text).map_err(invalid_line)? {
                Parsed::Text(line) => self.import_text(number, &line)?,
                Parsed::Event(event, stated_chain) => self.import_event(number, *event, stated_chain)?,
            }
        }
        Ok(())
    }

    /// Stores a text after checking its hash. `line` is the number of its line.
    fn import_text(&mut self, line: u64, text: &TextLine) -> Result<(), EngineError> {
        if blake3::hash(text.content.as_bytes()) != text.text.0 {
            let reason = format!("the content is not that of {}", text.text);
            return Err(ExchangeError::Line { line, reason }.into());
        }
        self.texts.put(&text.content)?;
        self.summary.texts += 1;
        Ok(())
    }

    /// Adds an event to the pending ones if the log does not have it. `line` is the number of its line.
    fn import_event(&mut self, line: u64, event: Recorded, stated_chain: Option<Chain>) -> Result<(), EngineError> {
        let not_a_continuation = ExchangeError::NotAContinuation { head: self.head, start: event.position };
        let Some(before) = event.position.before().filter(|before| *before <= self.head) else {
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

    /// Returns the hash chain after a position, from the previous line or from the log.
    fn chain_at(&mut self, position: Position) -> Result<Chain, EngineError> {
        if let Some((_, chain)) = self.previous.filter(|(previous, _)| *previous == position) {
            return Ok(chain);
        }
        self.flush()?;
        let start = position.next();
        let chain = self.log.chain_at(position)?;
        chain.ok_or_else(|| ExchangeError::NotAContinuation { head: self.head, start }.into())
    }

    /// Compares the computed chain with the one in the line.
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

    /// Appends the pending events durably. If the log rejects one, those before it are kept.
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

/// Converts the error of appending an event: an event that the log rejects is an invalid line, a failing log is not.
fn append_error(line: u64, error: LogError) -> EngineError {
    match error {
        LogError::OutOfOrder { .. } | LogError::Repeated { .. } | LogError::Oversized { .. } => {
            ExchangeError::Line { line, reason: error.to_string() }.into()
        }
        error => error.into(),
    }
}
