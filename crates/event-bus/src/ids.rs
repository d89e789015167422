//! [`IdIndex`], an in-memory map from event id to position, built from the journal when the log is opened.
//!
//! The key is 4 of the 16 bytes of an id, so that an entry with its position takes 9.5 bytes; the caller compares the
//! complete id with that of the event. The map is not stored: ids are random, and random keys in sled cost more than
//! the rest of an append (measured: 12 µs of processor time and 500 B per event).

mod table;

use std::{collections::BTreeMap, num::NonZeroU32};

use event_core::{EventId, Position};

use table::Table;

/// Map from event ids to positions. A lookup may return the position of another id with the same first 4 bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdIndex {
    /// Positions by the key that [`short_key`] returns for an id.
    by_short_key: Table,
    /// Entries that do not fit into the table: their key is taken (one in a thousand among eight million), their key is
    /// too close to others, or their position exceeds 32 bits.
    overflow: BTreeMap<EventId, Position>,
}

impl IdIndex {
    /// Adds an event id with its position in the log. Each id must be added only once.
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        let number = u32::try_from(position.0).ok().and_then(NonZeroU32::new);
        if !number.is_some_and(|number| self.by_short_key.insert(short_key(id), number)) {
            self.overflow.insert(id, position);
        }
    }

    /// Returns the only position in the log at which an event with this id may be; `None` if the id was not added. The
    /// event there may have another id with the same key, so the caller must compare the ids.
    pub(crate) fn candidate(&self, id: EventId) -> Option<Position> {
        let in_table = || self.by_short_key.get(short_key(id)).map(|number| Position(u64::from(number.get())));
        // The overflow of most logs is empty.
        if self.overflow.is_empty() { in_table() } else { self.overflow.get(&id).copied().or_else(in_table) }
    }
}

/// Hashes the first 4 bytes of an id to its key in the table, so that counters and time stamps as ids are distributed
/// evenly. Each step is a bijection, so distinct inputs have distinct keys. The constants are those of the finaliser of
/// `MurmurHash3`.
fn short_key(id: EventId) -> u32 {
    let key = id.0.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let key = (key ^ key >> 16).wrapping_mul(0x85eb_ca6b);
    let key = (key ^ key >> 13).wrapping_mul(0xc2b2_ae35);
    key ^ key >> 16
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_with_equal_short_keys_are_kept_apart() {
        let id = |last| EventId([7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, last]);
        let mut ids = IdIndex::default();
        assert_eq!(ids.candidate(id(1)), None);
        ids.add(id(1), Position(1));
        ids.add(id(2), Position(2));
        assert_eq!(ids.candidate(id(1)), Some(Position(1)));
        assert_eq!(ids.candidate(id(2)), Some(Position(2)));
        assert_eq!(ids.candidate(id(3)), Some(Position(1)), "the caller compares the whole id");
    }

    #[test]
    fn a_position_that_needs_more_than_four_bytes_is_found() {
        let (id, far) = (EventId([9; 16]), Position(u64::from(u32::MAX) + 5));
        let mut ids = IdIndex::default();
        ids.add(id, far);
        assert_eq!(ids.candidate(id), Some(far));
    }

    proptest! {
        #[test]
        fn every_added_id_is_found_at_its_position(
            added in proptest::collection::btree_map(proptest::array::uniform16(0_u8..3), 1_u64..1 << 40, 0..200)
        ) {
            let added: BTreeMap<_, _> = added.into_iter().map(|(id, at)| (EventId(id), Position(at))).collect();
            let mut ids = IdIndex::default();
            for (id, position) in &added {
                ids.add(*id, *position);
            }
            for (id, position) in &added {
                prop_assert_eq!(ids.candidate(*id), Some(*position));
            }
        }
    }
}
