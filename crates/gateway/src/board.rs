//! The latest turns of a log, for programs that show them, such as `turnwise watch`.

use std::sync::Arc;

use event_bus::{EventLog, LogError, TextStore};
use event_core::Position;
use serde_json::Value;

use crate::view::{BoardView, Sources};

/// The latest turns of a log, which another process may be appending to.
#[derive(Debug)]
pub struct Board {
    /// The turns, folded from the log.
    view: BoardView,
    /// The head at the last call of [`Board::changes`]; the start of the log before the first call.
    reported: Position,
}

impl Board {
    /// Creates an empty board for a log. `texts` stores the messages that are too long for an event. [`Board::changes`]
    /// fills the board.
    pub fn new(log: Arc<dyn EventLog>, texts: Arc<dyn TextStore>) -> Self {
        Self { view: BoardView::new(Sources { log, texts }), reported: Position::ORIGIN }
    }

    /// Catches up with the log and returns the turns that changed since the last call, oldest first, in the JSON of the
    /// gateway's `/api/turns`. The first call returns every turn on the board: at most 500, from the last 20,000
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
