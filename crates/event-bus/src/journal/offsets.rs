//! A sparse index from positions to offsets in the journal.

use event_core::Position;

use super::HEADER;

/// One of this many frames is indexed: 8 bytes of memory for about 20 KiB of journal.
const EVERY: u64 = 64;

/// Offsets of every [`EVERY`]th frame, from which reads start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offsets(Vec<u64>);

impl Offsets {
    /// Adds every [`EVERY`]th frame. Call it with consecutive positions.
    pub(crate) fn note(&mut self, position: Position, offset: u64) {
        if position.0 % EVERY == 1 && self.0.len() as u64 == position.0 / EVERY {
            self.0.push(offset);
        }
    }

    /// Returns an indexed offset at or before a position, and the number of frames between the two.
    pub(crate) fn before(&self, position: Position) -> (u64, u64) {
        let frames = position.0.saturating_sub(1);
        let slot = (frames / EVERY).min((self.0.len() as u64).saturating_sub(1));
        let known = usize::try_from(slot).ok().and_then(|slot| self.0.get(slot)).copied();
        (known.unwrap_or(HEADER as u64), frames - slot * EVERY)
    }

    /// Removes the entries after a position.
    pub(crate) fn cut(&mut self, after: Position) {
        self.0.truncate(usize::try_from(after.0.div_ceil(EVERY)).unwrap_or(usize::MAX));
    }
}
