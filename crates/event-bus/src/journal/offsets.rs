//! Where some of the frames stand, so that none is far from a known place.

use event_core::Position;

use super::HEADER;

/// One frame in this many is remembered: 8 bytes of memory for about 20 KiB of journal.
const EVERY: u64 = 64;

#[derive(Debug, Clone, Default)]
pub(crate) struct Offsets(Vec<u64>);

impl Offsets {
    /// Remembers a frame, if its turn has come. Frames are noted in order.
    pub(crate) fn note(&mut self, position: Position, offset: u64) {
        if position.0 % EVERY == 1 && self.0.len() as u64 == position.0 / EVERY {
            self.0.push(offset);
        }
    }

    /// A known place at or before a frame.
    pub(crate) fn before(&self, position: Position) -> u64 {
        let slot = usize::try_from(position.0.saturating_sub(1) / EVERY).unwrap_or(usize::MAX);
        let known = self.0.get(slot).or_else(|| self.0.last());
        known.copied().unwrap_or(HEADER as u64)
    }

    /// Forgets every frame after a position.
    pub(crate) fn cut(&mut self, after: Position) {
        self.0.truncate(usize::try_from(after.0.div_ceil(EVERY)).unwrap_or(usize::MAX));
    }
}
