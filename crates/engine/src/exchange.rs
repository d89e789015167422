//! Exports the log as JSON Lines and imports it, without loss in both directions.
//!
//! One line is one event. If an event's kind is known and its JSON decodes to the same bytes, the line has its fields
//! in `data`; otherwise the payload as hexadecimal digits in `payload`. A stored text is a line of its own before the
//! event that refers to it. Every event line has the log's hash chain, so that a changed, added or removed line is
//! detected when the file is read.

mod import;
mod line;

use std::io::{self, Write};

use contracts::{
    ContentHash,
    events::{CatalogueLoaded, PolicyLoaded, TextBody, TurnTextRecorded},
};
use event_bus::{Chain, EventLog, TextStore};
use event_core::{Position, Recorded};
use serde::Serialize;

pub use import::{ChainCheck, import};
pub use line::{event_to_json, payload_to_json};

use crate::{error::EngineError, insight::events};
use line::{TextLine, to_line};

/// The error of exporting or importing JSON Lines.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The file cannot be read or written, or a value cannot be encoded as JSON.
    #[error("cannot read or write JSON Lines")]
    Io(#[from] io::Error),
    /// A line cannot be imported: it is longer than 128 MiB, not UTF-8, not a valid event or text, its hash chain is
    /// wrong, or the log rejects its event.
    #[error("line {line}: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: u64,
        /// The problem, for the user.
        reason: String,
    },
    /// The log already has events, and the file does not continue them.
    #[error("the log ends at {head}, the file starts at {start}: import into an empty log, or the rest of this one")]
    NotAContinuation {
        /// The last position of the log.
        head: Position,
        /// The position of the event that does not continue it.
        start: Position,
    },
}

/// The counts of an export or import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ExchangeSummary {
    /// Events written to the file (export), or appended to the log (import).
    pub events: u64,
    /// Stored texts written to the file (export), or read from it (import), even if the store already had them.
    pub texts: u64,
    /// Events of the file that the log already had; 0 for an export.
    pub known: u64,
    /// Event lines of the imported file without a hash chain; 0 for an export.
    pub unchained: u64,
    /// The hash chain after the last event. Two logs with equal chains have equal events. `None` for an export without
    /// events.
    pub chain: Option<Chain>,
}

/// Writes the events after the position `after`, which is excluded, to `out`, one line of JSON each. The first event
/// that refers to a stored text is preceded by a line with that text, unless the text was purged. `progress` is called
/// with the position of each event after it was written.
///
/// # Errors
/// [`EngineError`] if the log or a text cannot be read, or a line cannot be written. The lines before it stay in `out`.
pub fn export(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    after: Position,
    out: &mut dyn Write,
    mut progress: impl FnMut(Position),
) -> Result<ExchangeSummary, EngineError> {
    let mut summary = ExchangeSummary::default();
    let mut written_texts = std::collections::BTreeSet::new();
    // An export that starts after the end of the log has no events to chain.
    let mut chain = log.chain_at(after)?.unwrap_or(Chain::ORIGIN);
    for event in events(log, after) {
        let event = event?;
        chain = chain.after(&event);
        if let Some(hash) = referenced_text(&event)
            && written_texts.insert(hash)
        {
            let content = texts.get(hash.0)?;
            // A purged text cannot be exported; the event with its hash is.
            if let Some(content) = content {
                write_line(out, &TextLine { text: hash, content })?;
                summary.texts += 1;
            }
        }
        write_line(out, &to_line(&event, Some(chain)))?;
        summary.events += 1;
        summary.chain = Some(chain);
        progress(event.position);
    }
    out.flush().map_err(ExchangeError::from)?;
    Ok(summary)
}

/// Writes a value as one line of JSON with a line feed at its end.
fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<(), ExchangeError> {
    let json = serde_json::to_string(line).map_err(io::Error::from)?;
    writeln!(out, "{json}").map_err(ExchangeError::from)
}

/// Returns the hash of the stored text that an event refers to: a policy, a list of models, or a message that is too
/// long for its event. `None` if it refers to none or cannot be decoded.
pub(crate) fn referenced_text(event: &Recorded) -> Option<ContentHash> {
    if let Ok(Some(loaded)) = event.read::<PolicyLoaded>() {
        return Some(loaded.hash);
    }
    if let Ok(Some(loaded)) = event.read::<CatalogueLoaded>() {
        return Some(loaded.hash);
    }
    match event.read::<TurnTextRecorded>() {
        Ok(Some(TurnTextRecorded { text: TextBody::Stored { hash, .. }, .. })) => Some(hash),
        _ => None,
    }
}
