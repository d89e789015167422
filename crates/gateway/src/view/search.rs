//! Searches the turns of the whole log, newest first, in windows of bounded size.

use contracts::events::TurnStarted;
use engine::{EngineError, events};
use event_core::{EventType as _, Position, Timestamp};
use serde_json::{Value, json};

use crate::own::Cancelled;

use super::{
    board::{Board, Sources},
    row::{Row, rfc3339},
};

/// The number of events in which turns of one window start.
const WINDOW: u64 = 8_192;

/// The number of events after a window that are also folded, for the outcomes of its last turns.
const OVERLAP: u64 = 2_048;

/// The number of events after which a search returns what it found, with the position to continue from.
const MAX_EVENTS: u64 = 100_000;

/// A query for a page of turns: their text, start time and place in the log.
#[derive(Debug, Default)]
pub(crate) struct TurnQuery {
    /// Words in lower case, all of which must occur in the row; empty for any row.
    pub(crate) words: Vec<String>,
    /// The time from which turns started; `None` for no limit.
    pub(crate) from: Option<Timestamp>,
    /// The time before which turns started; `None` for no limit.
    pub(crate) to: Option<Timestamp>,
    /// The position before which turns started; `None` for the end of the log.
    pub(crate) before: Option<Position>,
    /// The maximum number of turns to return.
    pub(crate) limit: usize,
}

impl TurnQuery {
    /// Returns whether a turn satisfies the query.
    fn accepts(&self, row: &Row) -> bool {
        let at = row.time();
        let is_in_range = self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to);
        is_in_range && (self.words.is_empty() || self.has_words(&row.json()))
    }

    /// Returns whether the texts of a turn contain every word of the query.
    fn has_words(&self, row: &Value) -> bool {
        let fields = row.as_object().into_iter().flat_map(serde_json::Map::values);
        let texts: Vec<_> = fields.filter_map(Value::as_str).map(str::to_lowercase).collect();
        self.words.iter().all(|word| texts.iter().any(|text| text.contains(word.as_str())))
    }
}

/// Searches the log for the turns that satisfy a query. Returns them newest first, with the position to continue from
/// (`next`, null at the start of the log) and the time up to which the log was searched (`until`).
///
/// Ends early if it is cancelled.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
pub(crate) fn search_turns(sources: &Sources, query: &TurnQuery, cancelled: &Cancelled) -> Result<Value, EngineError> {
    let head = sources.log.head()?;
    let mut end = query.before.unwrap_or_else(|| head.next());
    let (mut found, mut scanned, mut until) = (Vec::new(), 0, None);
    while found.len() < query.limit && scanned < MAX_EVENTS && Position(1) < end && !cancelled.is_set() {
        let start = Position(end.0.saturating_sub(WINDOW).max(1));
        let board = fold_window(sources, start, end)?;
        scanned += end.0 - start.0 + OVERLAP;
        end = start;
        for row in board.before(None, usize::MAX) {
            until = Some(row.time());
            if found.len() == query.limit {
                end = row.start().next();
                break;
            }
            if query.accepts(row) {
                found.push(row.json());
            }
        }
        // Turns of an import are not in the order of their times, so only the position ends a search.
    }
    let next = (Position(1) < end).then_some(end.0);
    Ok(json!({ "turns": found, "next": next, "until": until.map(rfc3339) }))
}

/// Reads the turns that start at positions from `start` to before `end`, with their outcomes if they follow closely.
fn fold_window(sources: &Sources, start: Position, end: Position) -> Result<Board, EngineError> {
    let mut board = Board::unbounded();
    let count = usize::try_from(end.0 - start.0 + OVERLAP).unwrap_or(usize::MAX);
    for event in events(sources.log.as_ref(), Position(start.0.saturating_sub(1))).take(count) {
        let event = event?;
        if end <= event.position && event.event.kind == TurnStarted::KIND {
            continue;
        }
        // An event of an unknown version is skipped.
        if let Err(error) = board.apply(&event, sources.texts.as_ref()) {
            tracing::debug!(%error, "an event cannot be shown");
        }
    }
    Ok(board)
}
