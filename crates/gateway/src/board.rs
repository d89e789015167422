//! The latest turns of a log as rows, for programs that show them: what `turnwise watch` prints.

use event_bus::{EventLog, TextStore};
use event_core::Position;
use serde_json::Value;

use crate::view::Follower;

/// The latest turns of a log, followed.
#[derive(Debug, Default)]
pub struct Board {
    follower: Follower,
    shown: Position,
}

impl Board {
    /// Reads what has come to the log since the last time, and gives the turns that changed, in the order in which they
    /// began: the JSON of the gateway's `/api/turns`.
    ///
    /// # Errors
    /// What keeps the log from being read.
    pub fn news(&mut self, log: &dyn EventLog, texts: &dyn TextStore) -> Result<Vec<Value>, String> {
        self.follower.catch_up(log, texts)?;
        let since = std::mem::replace(&mut self.shown, self.follower.position());
        Ok(self.follower.board().changed_after(since).iter().map(|row| row.json()).collect())
    }

    /// The latest turns, the newest first.
    pub fn latest(&self, most: usize) -> Vec<Value> {
        self.follower.board().before(None, most).iter().map(|row| row.json()).collect()
    }
}
