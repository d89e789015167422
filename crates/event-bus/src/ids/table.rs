//! A compact open-addressing table for evenly distributed 32-bit keys.
//!
//! The home slot of a key is proportional to the key, and entries are kept in key order, each at its home slot or displaced
//! behind it. Growing therefore copies the entries in one pass and may be by any factor; a hash table that doubles is half
//! empty afterwards.

use std::num::NonZeroU32;

/// Load factor at which the table grows by a tenth, in percent. Results in 9.5 bytes an entry on average.
const MOST_TAKEN: usize = 88;

/// The smallest number of slots.
const FEWEST: usize = 64;

/// The largest displacement of an entry from its home slot, in slots. Bounds a lookup when keys cluster; of eight million
/// evenly distributed keys none exceeds it (measured).
const MOST_BEHIND: usize = 2_048;

/// An open-addressing map from 32-bit keys to non-zero numbers, with entries in key order.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Ascending over the occupied slots.
    keys: Vec<u32>,
    /// Numbers of the keys in the same slots; `None` for free slots.
    numbers: Vec<Option<NonZeroU32>>,
    /// Number of home slots. Slots after them hold displaced entries only.
    homes: usize,
    /// Number of entries.
    entries: usize,
}

impl Table {
    /// Inserts an entry. Returns false if the key exists or the displacement would exceed [`MOST_BEHIND`].
    pub(super) fn add(&mut self, key: u32, number: NonZeroU32) -> bool {
        if MOST_TAKEN * self.homes <= 100 * self.entries {
            self.grow();
        }
        let place = self.place(key);
        if self.key_at(place) == Some(key) {
            return false;
        }
        let end = (self.home(key) + MOST_BEHIND).max(place);
        let slots = self.numbers.get(place..end.min(self.numbers.len())).unwrap_or_default();
        let free = match slots.iter().position(Option::is_none) {
            Some(after) => place + after,
            None if self.numbers.len() < end => self.numbers.len(),
            None => return false,
        };
        self.reach(free);
        self.keys.copy_within(place..free, place + 1);
        self.numbers.copy_within(place..free, place + 1);
        (self.keys[place], self.numbers[place]) = (key, Some(number));
        self.entries += 1;
        true
    }

    /// Returns the number of a key; `None` if the key does not exist.
    pub(super) fn find(&self, key: u32) -> Option<NonZeroU32> {
        let place = self.place(key);
        if self.key_at(place) == Some(key) { self.numbers.get(place).copied().flatten() } else { None }
    }

    /// Returns the slot of a key, or the slot where it would be inserted.
    fn place(&self, key: u32) -> usize {
        let home = self.home(key);
        let (keys, numbers) = (self.keys.get(home..).unwrap_or_default(), self.numbers.get(home..).unwrap_or_default());
        let mut slots = keys.iter().zip(numbers);
        home + slots.position(|(known, number)| number.is_none() || key <= *known).unwrap_or(keys.len())
    }

    /// Returns the key in a slot; `None` if the slot is free.
    fn key_at(&self, place: usize) -> Option<u32> {
        let taken = self.numbers.get(place).is_some_and(Option::is_some);
        if taken { self.keys.get(place).copied() } else { None }
    }

    /// Returns the home slot of a key, which is monotone in the key.
    fn home(&self, key: u32) -> usize {
        // Below the number of slots, so it fits.
        usize::try_from((u64::from(key) * self.homes as u64) >> 32).unwrap_or(usize::MAX)
    }

    /// Extends the table with free slots so that the slot `place` exists.
    fn reach(&mut self, place: usize) {
        if self.keys.len() <= place {
            // `Vec` would double its capacity.
            let more = place + 1 - self.keys.len();
            if self.keys.capacity() <= place {
                self.keys.reserve_exact(more + FEWEST);
                self.numbers.reserve_exact(more + FEWEST);
            }
            self.keys.resize(place + 1, 0);
            self.numbers.resize(place + 1, None);
        }
    }

    /// Copies all entries into a larger table.
    fn grow(&mut self) {
        let homes = (self.entries * 110 / MOST_TAKEN).max(FEWEST);
        // Room for entries displaced behind the last home slot.
        let room = homes + FEWEST;
        let mut larger =
            Self { keys: Vec::with_capacity(room), numbers: Vec::with_capacity(room), homes, entries: self.entries };
        larger.reach(homes - 1);
        let mut free = 0;
        for (key, number) in self.keys.iter().zip(&self.numbers).filter(|(_, number)| number.is_some()) {
            let place = larger.home(*key).max(free);
            larger.reach(place);
            (larger.keys[place], larger.numbers[place]) = (*key, *number);
            free = place + 1;
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Evenly distributed keys and some clustered ones.
    fn key() -> impl Strategy<Value = u32> {
        prop_oneof![any::<u32>(), 0..40_u32, u32::MAX - 40..=u32::MAX]
    }

    proptest! {
        #[test]
        fn every_key_is_found_with_the_number_it_was_added_with(keys in prop::collection::vec(key(), 0..600)) {
            let (mut table, mut naive) = (Table::default(), BTreeMap::new());
            for (number, key) in (1..).map_while(NonZeroU32::new).zip(&keys) {
                prop_assert_eq!(table.add(*key, number), !naive.contains_key(key));
                naive.entry(*key).or_insert(number);
            }
            for key in keys.iter().chain(&[0, 1, u32::MAX / 2, u32::MAX]) {
                prop_assert_eq!(table.find(*key), naive.get(key).copied());
            }
        }
    }

    #[test]
    fn a_table_of_many_keys_is_at_least_three_quarters_full() {
        // Clustered keys at the end of the table are displaced beyond the home slots.
        let mut table = Table::default();
        for key in (u32::MAX - 300..=u32::MAX).rev() {
            table.add(key, NonZeroU32::MIN);
        }
        for number in 1..200_000_u32 {
            let key = number.wrapping_mul(0x9e37_79b9) ^ number >> 7;
            table.add(key, NonZeroU32::new(number).unwrap());
            let room = table.keys.capacity();
            assert!(number < 10_000 || room * 3 <= table.entries * 4, "{room} slots for {number}");
        }
    }

    #[test]
    fn keys_that_are_all_alike_are_turned_away_before_they_cost_much() {
        let mut table = Table::default();
        let added = (0..20_000_u32).filter(|key| table.add(*key, NonZeroU32::new(key + 1).unwrap())).count();
        assert!((MOST_BEHIND..=MOST_BEHIND + FEWEST).contains(&added), "{added}");
        let found = (0..20_000).filter(|key| table.find(*key).is_some()).count();
        assert_eq!(found, added);
    }
}
