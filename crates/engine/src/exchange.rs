//! The log as JSON Lines, loss-free in both directions: the backup, and the way out.
//!
//! One line is one fact. A fact whose kind is known is written as `data`, readable and editable by any tool, when
//! reading it back gives the same bytes; any other as `payload` in hexadecimal. Texts stored beside the log come
//! as lines of their own, before the fact that names them.

use std::io::{self, BufRead, Write};

use contracts::{
    ContentHash, catalogue,
    facts::{CatalogueLoaded, PolicyLoaded, TextBody, TurnTextRecorded},
};
use event_bus::{EventLog, TextStore};
use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{error::EngineError, insight::facts};

/// The longest line that is read, in bytes: a text of 16 MiB, escaped.
const MAX_LINE_BYTES: u64 = 128 * 1024 * 1024;
/// Facts restored at once.
const CHUNK: usize = 200;

/// A line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    position: Position,
    recorded_at: Timestamp,
    at: Timestamp,
    id: EventId,
    correlation: EventId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    causation: Option<EventId>,
    kind: String,
    version: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    payload: Option<String>,
}

/// A line that carries a stored text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TextLine {
    text: ContentHash,
    content: String,
}

/// What is wrong with a JSON Lines file.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It cannot be read or written.
    #[error("cannot read or write JSON Lines")]
    Io(#[from] io::Error),
    /// A line that is not a fact.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The log already has facts that the file does not continue.
    #[error("the log ends at {head}, the file starts at {start}: import into an empty log, or the rest of this one")]
    NotAContinuation {
        /// Where the log ends.
        head: Position,
        /// Where the file starts.
        start: Position,
    },
    /// A text that the log names and nobody has.
    #[error("the text {hash} that position {position} names is missing from the text store")]
    MissingText {
        /// The text.
        hash: ContentHash,
        /// The fact that names it.
        position: Position,
    },
}

/// What went through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Exchanged {
    /// Facts.
    pub facts: u64,
    /// Stored texts.
    pub texts: u64,
    /// Facts of the file that the log had already.
    pub known: u64,
}

/// Writes every fact after a position as a line, and every text those facts name.
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
    for fact in facts(log, after) {
        let fact = fact?;
        if let Some(hash) = named_text(&fact)?
            && written.insert(hash)
        {
            let content = texts.get(hash.0)?;
            // A purged text is gone for good; the fact stays and says what it was.
            if let Some(content) = content {
                write_line(out, &TextLine { text: hash, content })?;
                done.texts += 1;
            }
        }
        write_line(out, &line(&fact))?;
        done.facts += 1;
        progress(fact.position);
    }
    out.flush().map_err(ExchangeError::from)?;
    Ok(done)
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<(), ExchangeError> {
    let json = serde_json::to_string(line).map_err(io::Error::from)?;
    writeln!(out, "{json}").map_err(ExchangeError::from)
}

/// The text a fact names.
fn named_text(fact: &Recorded) -> Result<Option<ContentHash>, EngineError> {
    Ok(if let Some(loaded) = fact.read::<PolicyLoaded>()? {
        Some(loaded.hash)
    } else if let Some(loaded) = fact.read::<CatalogueLoaded>()? {
        Some(loaded.hash)
    } else {
        match fact.read::<TurnTextRecorded>()? {
            Some(TurnTextRecorded { text: TextBody::Stored { hash, .. }, .. }) => Some(hash),
            _ => None,
        }
    })
}

fn line(fact: &Recorded) -> Line {
    let event = &fact.event;
    let data = readable(&event.kind, event.version, &event.payload);
    Line {
        position: fact.position,
        recorded_at: fact.recorded_at,
        at: event.at,
        id: event.id,
        correlation: event.correlation,
        causation: event.causation,
        kind: event.kind.to_string(),
        version: event.version,
        payload: data.is_none().then(|| hex(&event.payload)),
        data,
    }
}

/// A payload as JSON, when the JSON gives back the same bytes.
pub fn readable(kind: &str, version: u16, payload: &[u8]) -> Option<Value> {
    let spec = catalogue::find(kind, version)?;
    let value = (spec.to_json)(payload).ok()?;
    let back = (spec.from_json)(value.clone()).ok()?;
    (back == payload).then_some(value)
}

/// A fact as JSON for people: as exported.
pub fn as_json(fact: &Recorded) -> Value {
    serde_json::to_value(line(fact)).unwrap_or(Value::Null)
}

/// Reads lines into a log, which must be empty or end where they start. Facts the log has are skipped. All lines
/// up to the first wrong one are kept.
///
/// # Errors
/// [`EngineError::Exchange`] with the number of a line that is wrong.
pub fn import(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    input: &mut dyn BufRead,
    mut progress: impl FnMut(u64),
) -> Result<Exchanged, EngineError> {
    let mut done = Exchanged::default();
    let mut head = log.head()?;
    let mut pending = Vec::with_capacity(CHUNK);
    let mut text = String::new();
    let mut number = 0;
    loop {
        text.clear();
        let read = io::Read::take(&mut *input, MAX_LINE_BYTES).read_line(&mut text).map_err(ExchangeError::from)?;
        if read == 0 {
            break;
        }
        number += 1;
        progress(read as u64);
        if text.trim().is_empty() {
            continue;
        }
        let parsed = parse(&text).map_err(|reason| ExchangeError::Line { line: number, reason });
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                restore(log, &mut pending)?;
                return Err(error.into());
            }
        };
        match parsed {
            Parsed::Text(line) => {
                let hash = texts.put(&line.content)?;
                if hash != line.text.0 {
                    restore(log, &mut pending)?;
                    let reason = format!("the content is not that of {}", line.text);
                    return Err(ExchangeError::Line { line: number, reason }.into());
                }
                done.texts += 1;
            }
            Parsed::Fact(fact) if fact.position <= head => {
                // Already there, if it is the same fact.
                if log.find(fact.event.id)? != Some(fact.position) {
                    return Err(ExchangeError::NotAContinuation { head, start: fact.position }.into());
                }
                done.known += 1;
            }
            Parsed::Fact(fact) if fact.position != head.next() => {
                restore(log, &mut pending)?;
                return Err(ExchangeError::NotAContinuation { head, start: fact.position }.into());
            }
            Parsed::Fact(fact) => {
                head = fact.position;
                pending.push(*fact);
                done.facts += 1;
                if CHUNK <= pending.len() {
                    restore(log, &mut pending)?;
                }
            }
        }
    }
    restore(log, &mut pending)?;
    Ok(done)
}

fn restore(log: &dyn EventLog, pending: &mut Vec<Recorded>) -> Result<(), EngineError> {
    if pending.is_empty() {
        return Ok(());
    }
    let facts = std::mem::take(pending);
    // A barrier covers so many bytes at most: small parts are always covered.
    for part in facts.chunks(25) {
        log.restore(part)?;
        log.sync()?;
    }
    Ok(())
}

enum Parsed {
    Fact(Box<Recorded>),
    Text(TextLine),
}

fn parse(text: &str) -> Result<Parsed, String> {
    if text.starts_with("{\"text\"") {
        return serde_json::from_str(text).map(Parsed::Text).map_err(|error| error.to_string());
    }
    let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let payload = match (line.data, line.payload) {
        (Some(data), None) => {
            let spec = catalogue::find(&line.kind, line.version).ok_or_else(|| {
                format!("`{}` version {} is not known here: it needs `payload`", line.kind, line.version)
            })?;
            (spec.from_json)(data).map_err(|error| error.to_string())?
        }
        (None, Some(payload)) => unhex(&payload).ok_or("`payload` is not hexadecimal")?,
        _ => return Err("a fact has either `data` or `payload`".to_owned()),
    };
    let event = NewEvent {
        id: line.id,
        at: line.at,
        correlation: line.correlation,
        causation: line.causation,
        kind: line.kind.into(),
        version: line.version,
        payload,
    };
    Ok(Parsed::Fact(Box::new(Recorded { position: line.position, recorded_at: line.recorded_at, event })))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}
