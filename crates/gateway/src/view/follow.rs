//! Following the log: the board is brought up to its end when somebody looks, and only then.

use std::sync::Arc;

use event_bus::{EventLog, TextStore};
use event_core::Position;

use super::Board;

/// Events read at once.
const CHUNK: usize = 512;
/// How far back the board begins. Turns that began before it do not show; `turnwise why` knows them all.
const BACK: u64 = 20_000;

/// The board and how far it has come.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    board: Board,
    position: Option<Position>,
}

impl Follower {
    /// Reads to the end of the log.
    ///
    /// # Errors
    /// What keeps the log from being read.
    pub(crate) fn catch_up(&mut self, log: &dyn EventLog, texts: &dyn TextStore) -> Result<(), String> {
        let failed = |error: &dyn std::error::Error| format!("the log cannot be read: {error}");
        let head = log.head().map_err(|error| failed(&error))?;
        let mut reached = self.position.unwrap_or(Position(head.0.saturating_sub(BACK)));
        while reached < head {
            let events = log.read_after(reached, CHUNK).map_err(|error| failed(&error))?;
            let Some(last) = events.last() else { break };
            reached = last.position;
            for event in &events {
                // What a newer program wrote does not show here; it is no reason to show nothing.
                if let Err(error) = self.board.apply(event, texts) {
                    tracing::debug!(%error, "an event does not show");
                }
            }
            self.position = Some(reached);
        }
        self.position.get_or_insert(reached);
        Ok(())
    }

    /// The board as it stands.
    pub(crate) const fn board(&self) -> &Board {
        &self.board
    }

    /// How far it has come.
    pub(crate) fn position(&self) -> Position {
        self.position.unwrap_or(Position::ORIGIN)
    }
}

/// The log and the texts, as whoever shows them reads them.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) texts: Arc<dyn TextStore>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}
