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
    events::{CatalogueLoaded, PolicyLoaded, SkillIndexed, SkillPromptRecorded, TextBody, TurnTextRecorded},
};
use event_bus::{Chain, EventLog, TextStore};
use event_core::{Position, Recorded};
use serde::Serialize;

pub use import::{ChainCheck, import};
pub use line::{event_to_json, payload_to_json};

use crate::{error::EngineError, exchange_error::ExchangeError, insight::events};
use line::{TextLine, to_line};

/// The counts of an export or import of the log.
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
    /// Texts that are missing in the text store although an event refers to them and they were not purged; 0 for an
    /// import.
    pub missing_texts: u64,
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
            // The event with the hash is exported in any case. A purged event has no hash.
            match content {
                Some(content) => {
                    write_line(out, &TextLine { text: hash, content })?;
                    summary.texts += 1;
                }
                None => summary.missing_texts += 1,
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

/// Returns the hash of the stored text that an event refers to: a policy, a list of models, the skills of a workspace, or a
/// message that is too long for its event. `None` if the event refers to no text or cannot be decoded.
pub fn referenced_text(event: &Recorded) -> Option<ContentHash> {
    if let Ok(Some(loaded)) = event.read::<PolicyLoaded>() {
        return Some(loaded.hash);
    }
    if let Ok(Some(loaded)) = event.read::<CatalogueLoaded>() {
        return Some(loaded.hash);
    }
    if let Ok(Some(indexed)) = event.read::<SkillIndexed>() {
        return Some(indexed.sources);
    }
    let text = match event.read::<TurnTextRecorded>() {
        Ok(Some(message)) => Some(message.text),
        _ => event.read::<SkillPromptRecorded>().ok().flatten().map(|prompt| prompt.text),
    };
    match text? {
        TextBody::Stored { hash, .. } => Some(hash),
        TextBody::Inline(_) => None,
    }
}
