//! Reading the log for turns that have ended, from where it was the last time.

use std::sync::Arc;

use event_bus::EventLog;
use event_core::Position;

use super::{otlp::Span, turns::Turns};

/// Events read at once.
const CHUNK: usize = 512;
/// How far before the first turn that is told of the log is read: for the start of turns that run over a restart.
const BACK: u64 = 20_000;
/// The most turns in a batch.
const MOST_TURNS: usize = 64;
/// The most spans in a batch, but for what its last turn has: some megabytes.
const MOST_SPANS: usize = 2_000;

/// The log, the turns that run, and how far it was read.
pub(crate) struct Following {
    log: Arc<dyn EventLog>,
    turns: Turns,
    reached: Position,
    /// Turns that ended up to here are not told of.
    silent: Position,
}

impl std::fmt::Debug for Following {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Following").field("reached", &self.reached).finish_non_exhaustive()
    }
}

/// Turns that have ended, to be told of together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) turns: usize,
    pub(super) spans: Vec<Span>,
}

impl Batch {
    pub(super) const fn is_empty(&self) -> bool {
        self.turns == 0
    }

    pub(super) const fn is_full(&self) -> bool {
        MOST_TURNS <= self.turns || MOST_SPANS <= self.spans.len()
    }
}

impl Following {
    /// Follows a log for the turns that end after a position.
    pub(crate) fn new(log: Arc<dyn EventLog>, after: Position) -> Self {
        Self { log, turns: Turns::default(), reached: Position(after.0.saturating_sub(BACK)), silent: after }
    }

    /// Reads until the batch is full or the log at its end.
    ///
    /// # Errors
    /// What keeps the log from being read.
    pub(super) fn read(&mut self, batch: &mut Batch) -> Result<(), String> {
        while !batch.is_full() {
            let events = self.log.read_after(self.reached, CHUNK).map_err(|error| error.to_string())?;
            if events.is_empty() {
                break;
            }
            for event in &events {
                if batch.is_full() {
                    break;
                }
                self.reached = event.position;
                match self.turns.apply(event) {
                    Ok(Some(spans)) if self.silent < event.position => {
                        batch.turns += 1;
                        batch.spans.extend(spans);
                    }
                    Ok(_) => {}
                    // What a newer program wrote is no reason to tell nothing.
                    Err(error) => tracing::debug!(%error, "an event is in no trace"),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
