//! The log as JSON Lines, loss-free in both directions: the backup, and the way out.
//!
//! One line is one event. An event whose kind is known is written as `data`, readable and editable by any tool, when
//! reading it back gives the same bytes; any other as `payload` in hexadecimal. Texts stored beside the log come
//! as lines of their own, before the event that names them. Every event carries the log's hash chain, so that a line
//! that was changed, added or dropped shows when the file is read.

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

pub use import::{Chains, import};
pub use line::{as_json, readable};

use crate::{error::EngineError, insight::events};
use line::{TextLine, line};

/// What is wrong with a JSON Lines file.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It cannot be read or written.
    #[error("cannot read or write JSON Lines")]
    Io(#[from] io::Error),
    /// A line that is not an event.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The log already has events that the file does not continue.
    #[error("the log ends at {head}, the file starts at {start}: import into an empty log, or the rest of this one")]
    NotAContinuation {
        /// Where the log ends.
        head: Position,
        /// Where the file starts.
        start: Position,
    },
}

/// What went through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Exchanged {
    /// Events.
    pub events: u64,
    /// Stored texts.
    pub texts: u64,
    /// Events of the file that the log had already.
    pub known: u64,
    /// Events whose line carries no hash chain.
    pub unchained: u64,
    /// The log's hash chain after the last of them: two logs with the same one hold the same events.
    pub chain: Option<Chain>,
}

/// Writes every event after a position as a line, and every text those events name.
///
/// # Errors
/// [`EngineError`] when the log cannot be read or the lines cannot be written.
pub fn export(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    after: Position,
    out: &mut dyn Write,
    mut progress: impl FnMut(Position),
) -> Result<Exchanged, EngineError> {
    let mut done = Exchanged::default();
    let mut written = std::collections::BTreeSet::new();
    // An export that starts behind the end has nothing to chain.
    let mut chain = log.chain_at(after)?.unwrap_or(Chain::ORIGIN);
    for event in events(log, after) {
        let event = event?;
        chain = chain.after(&event);
        if let Some(hash) = named_text(&event)
            && written.insert(hash)
        {
            let content = texts.get(hash.0)?;
            // A purged text is gone for good; the event stays and says what it was.
            if let Some(content) = content {
                write_line(out, &TextLine { text: hash, content })?;
                done.texts += 1;
            }
        }
        write_line(out, &line(&event, Some(chain)))?;
        done.events += 1;
        done.chain = Some(chain);
        progress(event.position);
    }
    out.flush().map_err(ExchangeError::from)?;
    Ok(done)
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<(), ExchangeError> {
    let json = serde_json::to_string(line).map_err(io::Error::from)?;
    writeln!(out, "{json}").map_err(ExchangeError::from)
}

/// The text an event names. An event that cannot be read here, such as one of a newer version, goes out as it is.
pub(crate) fn named_text(event: &Recorded) -> Option<ContentHash> {
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
