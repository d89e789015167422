//! [`Offsets`], a sparse index from positions of events to byte offsets in the journal.

use event_core::Position;

use super::HEADER_BYTES;

/// Number of frames per entry. An entry takes 8 bytes of memory, for about 20 KiB of journal.
const FRAMES_PER_ENTRY: u64 = 64;

/// The byte offsets in the journal of the events at positions 1, 65, 129 and so on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Offsets(Vec<u64>);

impl Offsets {
    /// Adds the offset of an event if its position is the next to be indexed, and ignores it otherwise. Call it for
    /// consecutive positions.
    pub(crate) fn add(&mut self, position: Position, offset: u64) {
        if position.0 % FRAMES_PER_ENTRY == 1 && self.0.len() as u64 == position.0 / FRAMES_PER_ENTRY {
            self.0.push(offset);
        }
    }

    /// Returns the offset of the last indexed event at or before `position`, and the number of events from there to
    /// `position`. The offset is that of the first event if there is no entry.
    pub(crate) fn nearest_before(&self, position: Position) -> (u64, u64) {
        let frames_before = position.0.saturating_sub(1);
        let entry = (frames_before / FRAMES_PER_ENTRY).min((self.0.len() as u64).saturating_sub(1));
        let offset = usize::try_from(entry).ok().and_then(|entry| self.0.get(entry)).copied();
        (offset.unwrap_or(HEADER_BYTES as u64), frames_before - entry * FRAMES_PER_ENTRY)
    }

    /// Removes the offsets of events after position `last`.
    pub(crate) fn truncate_after(&mut self, last: Position) {
        self.0.truncate(usize::try_from(last.0.div_ceil(FRAMES_PER_ENTRY)).unwrap_or(usize::MAX));
    }
}
