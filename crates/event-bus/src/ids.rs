//! Which events the log has, by id: built from the journal when it is opened, kept in memory.
//!
//! A quarter of each id is the key, some nine and a half bytes an entry with its position; whoever looks compares the whole
//! id with the record. Ids are random, and a store of random keys on the disk costs more than everything else about an event
//! together (measured: 12 µs of processor and 500 B of sled an event).

mod table;

use std::{collections::BTreeMap, num::NonZeroU32};

use event_core::{EventId, Position};

use table::Table;

#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    quarters: Table,
    /// Ids whose quarter was taken, one in a thousand among eight million, those that a producer chose so much alike that
    /// the table has no room for them, and those of positions that need more bits.
    others: BTreeMap<EventId, Position>,
}

impl Ids {
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        let short = u32::try_from(position.0).ok().and_then(NonZeroU32::new);
        if !short.is_some_and(|short| self.quarters.add(quarter(id), short)) {
            self.others.insert(id, position);
        }
    }

    /// Where the event with this id stands, if it stands anywhere.
    pub(crate) fn guess(&self, id: EventId) -> Option<Position> {
        let quarter = || self.quarters.find(quarter(id)).map(|short| Position(u64::from(short.get())));
        // Most logs have none of the others.
        if self.others.is_empty() { quarter() } else { self.others.get(&id).copied().or_else(quarter) }
    }
}

/// A quarter of an id. Ids that are no hashes but count, or begin with the time, are spread like the others: each step
/// of this can be taken back, so that no two quarters become one.
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
