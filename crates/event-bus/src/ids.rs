//! In-memory map from event id to position, built from the journal when the log is opened.
//!
//! The key is 4 of the 16 bytes of an id, which makes 9.5 bytes an entry with its position; the caller compares the whole
//! id with the record. The map is not stored: ids are random, and random keys in sled cost more than everything else about an
//! event together (measured: 12 µs of processor time and 500 B an event).

mod table;

use std::{collections::BTreeMap, num::NonZeroU32};

use event_core::{EventId, Position};

use table::Table;

/// Positions of all events by id. Owned by the log on disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    /// Positions by 4 bytes of the id.
    quarters: Table,
    /// Ids that the table cannot hold: those whose key is taken (one in a thousand among eight million), those whose keys
    /// are too close to others, and those with positions beyond 32 bits.
    others: BTreeMap<EventId, Position>,
}

impl Ids {
    /// Adds an id.
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        let short = u32::try_from(position.0).ok().and_then(NonZeroU32::new);
        if !short.is_some_and(|short| self.quarters.add(quarter(id), short)) {
            self.others.insert(id, position);
        }
    }

    /// Returns the position that may have this id. If the log contains the id, it is at this position.
    pub(crate) fn guess(&self, id: EventId) -> Option<Position> {
        let quarter = || self.quarters.find(quarter(id)).map(|short| Position(u64::from(short.get())));
        // Most logs have no such ids.
        if self.others.is_empty() { quarter() } else { self.others.get(&id).copied().or_else(quarter) }
    }
}

/// Mixes the first 4 bytes of an id into a key, so that ids that are counters or begin with a time spread evenly as well.
/// Each step is a bijection, so distinct inputs keep distinct keys.
fn quarter(id: EventId) -> u32 {
    let quarter = id.0.first_chunk().map_or(0, |quarter| u32::from_le_bytes(*quarter));
    let quarter = (quarter ^ quarter >> 16).wrapping_mul(0x85eb_ca6b);
    let quarter = (quarter ^ quarter >> 13).wrapping_mul(0xc2b2_ae35);
    quarter ^ quarter >> 16
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
        assert_eq!(ids.guess(id(3)), Some(Position(1)), "the caller compares the whole id");
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
