//! The latest turns of a log, for programs that show them, such as `turnwise watch`.

use std::{collections::BTreeSet, sync::Arc};

use contracts::{SessionId, events::TurnStarted};
use engine::{EngineError, RecordedDecision};
use event_bus::{EventLog, LogError, TextStore};
use event_core::Position;
use serde_json::Value;

use crate::view::{self, BoardView, Sources, turn_view};

/// The latest turns of an event log, for programs that show them. Another process may append to the log at the same
/// time.
#[derive(Debug)]
pub struct Board {
    /// The turns, folded from the log.
    view: BoardView,
    /// The head at the last call of [`Board::changes`]; the start of the log before the first call.
    reported: Position,
}

impl Board {
    /// Creates an empty list of turns for a log. `texts` stores the messages that are too long for an event.
    /// [`Board::changes`] reads the log and fills the list.
    pub fn new(log: Arc<dyn EventLog>, texts: Arc<dyn TextStore>) -> Self {
        Self { view: BoardView::new(Sources { log, texts }), reported: Position::ORIGIN }
    }

    /// Reads the new events of the log and returns the turns that changed since the last call, oldest first, in the
    /// JSON of the gateway's `/api/turns`. The first call returns all latest turns: at most 500, from the last 20,000
    /// events.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    pub fn changes(&mut self) -> Result<Vec<Value>, LogError> {
        let head = self.view.catch_up()?;
        let since = std::mem::replace(&mut self.reported, head);
        Ok(self.view.board().changed_after(since).iter().map(|row| row.json()).collect())
    }

    /// Returns the latest `count` turns as of the last call of [`Board::changes`], newest first, in the JSON of
    /// `/api/turns`.
    pub fn latest(&self, count: usize) -> Vec<Value> {
        self.view.board().before(None, count).iter().map(|row| row.json()).collect()
    }
}

/// Returns the turns of a session, oldest first, in the JSON of the gateway's `/api/turns`. Only the latest 500 turns
/// of a longer session are returned. Reads the whole log.
///
/// # Errors
/// [`EngineError`] if the log cannot be read.
pub fn session_turns(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    session: &SessionId,
) -> Result<Vec<Value>, EngineError> {
    let mut board = view::Board::default();
    let mut turns = BTreeSet::new();
    for event in engine::events(log, Position::ORIGIN) {
        let event = event?;
        if event.read::<TurnStarted>()?.is_some_and(|turn| turn.session == *session) {
            turns.insert(event.event.correlation);
        }
        if turns.contains(&event.event.correlation) || event.event.correlation == session.correlation() {
            board.apply(&event, texts)?;
        }
    }
    let mut rows: Vec<_> = board.before(None, usize::MAX).iter().map(|row| row.json()).collect();
    rows.reverse();
    Ok(rows)
}

/// Returns everything about a decided turn, in the JSON of the gateway's `/turns/ID`.
///
/// # Errors
/// [`EngineError::Log`] if the log cannot be read.
pub fn turn_details(log: &dyn EventLog, texts: &dyn TextStore, turn: &RecordedDecision) -> Result<Value, EngineError> {
    turn_view(log, texts, turn)
}
