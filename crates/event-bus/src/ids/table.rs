//! A compact open-addressing table for evenly distributed 32-bit keys.
//!
//! The home slot of a key is proportional to the key, and the occupied slots are in key order: each entry is at its
//! home slot or displaced to a later slot. Growing therefore copies the entries in one pass and may be by any factor; a
//! hash table that doubles is half empty afterwards.

use std::num::NonZeroU32;

/// Percentage of occupied home slots at which the table grows so that a tenth more entries fit. Results in 9.5 bytes
/// per entry on average.
const MAX_LOAD_PERCENT: usize = 88;

/// Minimum number of home slots, and number of spare slots reserved behind the last slot.
const MIN_SLOTS: usize = 64;

/// Maximum displacement of an entry from its home slot, in slots. Bounds the time of a lookup when keys cluster; of
/// eight million evenly distributed keys none exceeds it (measured).
const MAX_DISPLACEMENT: usize = 2_048;

/// A compact map from 32-bit keys to non-zero 32-bit numbers, without removal.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// Key of each slot, ascending over the occupied slots; 0 in a slot that was never occupied.
    keys: Vec<u32>,
    /// Number stored in each slot; `None` in a free slot.
    numbers: Vec<Option<NonZeroU32>>,
    /// Number of home slots. The slots after them contain displaced entries only.
    home_slots: usize,
    /// Number of entries.
    entries: usize,
}

impl Table {
    /// Inserts a number under a key. Returns false, without a change, if the key exists or an entry would be displaced
    /// by more than [`MAX_DISPLACEMENT`] slots.
    pub(super) fn insert(&mut self, key: u32, number: NonZeroU32) -> bool {
        if MAX_LOAD_PERCENT * self.home_slots <= 100 * self.entries {
            self.grow();
        }
        let slot = self.find_slot(key);
        if self.key_at(slot) == Some(key) {
            return false;
        }
        let end = (self.home(key) + MAX_DISPLACEMENT).max(slot);
        let slots = self.numbers.get(slot..end.min(self.numbers.len())).unwrap_or_default();
        let free_slot = match slots.iter().position(Option::is_none) {
            Some(distance) => slot + distance,
            None if self.numbers.len() < end => self.numbers.len(),
            None => return false,
        };
        self.ensure_slot(free_slot);
        self.keys.copy_within(slot..free_slot, slot + 1);
        self.numbers.copy_within(slot..free_slot, slot + 1);
        (self.keys[slot], self.numbers[slot]) = (key, Some(number));
        self.entries += 1;
        true
    }

    /// Returns the number of entries.
    pub(super) const fn len(&self) -> usize {
        self.entries
    }

    /// Returns all keys with their numbers, in ascending order of the keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, NonZeroU32)> {
        self.keys.iter().zip(&self.numbers).filter_map(|(key, number)| Some((*key, (*number)?)))
    }

    /// Returns the number of a key; `None` if the key is not in the table.
    pub(super) fn get(&self, key: u32) -> Option<NonZeroU32> {
        let slot = self.find_slot(key);
        if self.key_at(slot) == Some(key) { self.numbers.get(slot).copied().flatten() } else { None }
    }

    /// Returns the index of the slot of a key; if the key is not in the table, that of the slot at which it would be
    /// inserted.
    fn find_slot(&self, key: u32) -> usize {
        let home = self.home(key);
        let (keys, numbers) = (self.keys.get(home..).unwrap_or_default(), self.numbers.get(home..).unwrap_or_default());
        let mut slots = keys.iter().zip(numbers);
        home + slots.position(|(slot_key, number)| number.is_none() || key <= *slot_key).unwrap_or(keys.len())
    }

    /// Returns the key in a slot; `None` if the slot is free or does not exist.
    fn key_at(&self, slot: usize) -> Option<u32> {
        let taken = self.numbers.get(slot).is_some_and(Option::is_some);
        if taken { self.keys.get(slot).copied() } else { None }
    }

    /// Returns the home slot of a key. Of two keys, the larger one has the same or a later home slot.
    fn home(&self, key: u32) -> usize {
        // The result is below the number of slots, so it fits into a `usize`.
        usize::try_from((u64::from(key) * self.home_slots as u64) >> 32).unwrap_or(usize::MAX)
    }

    /// Appends free slots to the table until it has a slot with the index `slot`.
    fn ensure_slot(&mut self, slot: usize) {
        if self.keys.len() <= slot {
            // `Vec` would double its capacity.
            let missing_slots = slot + 1 - self.keys.len();
            if self.keys.capacity() <= slot {
                self.keys.reserve_exact(missing_slots + MIN_SLOTS);
                self.numbers.reserve_exact(missing_slots + MIN_SLOTS);
            }
            self.keys.resize(slot + 1, 0);
            self.numbers.resize(slot + 1, None);
        }
    }

    /// Grows the table: copies all entries into a new one with room for a tenth more, at least [`MIN_SLOTS`] home
    /// slots.
    fn grow(&mut self) {
        let home_slots = (self.entries * 110 / MAX_LOAD_PERCENT).max(MIN_SLOTS);
        // Slots for entries displaced behind the last home slot.
        let capacity = home_slots + MIN_SLOTS;
        let mut larger = Self {
            keys: Vec::with_capacity(capacity),
            numbers: Vec::with_capacity(capacity),
            home_slots,
            entries: self.entries,
        };
        larger.ensure_slot(home_slots - 1);
        let mut first_free_slot = 0;
        for (key, number) in self.keys.iter().zip(&self.numbers).filter(|(_, number)| number.is_some()) {
            let slot = larger.home(*key).max(first_free_slot);
            larger.ensure_slot(slot);
            (larger.keys[slot], larger.numbers[slot]) = (*key, *number);
            first_free_slot = slot + 1;
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Generates keys: evenly distributed ones, and clusters at both ends of the range.
    fn key() -> impl Strategy<Value = u32> {
        prop_oneof![any::<u32>(), 0..40_u32, u32::MAX - 40..=u32::MAX]
    }

    proptest! {
        #[test]
        fn every_key_is_found_with_the_number_it_was_added_with(keys in prop::collection::vec(key(), 0..600)) {
            let (mut table, mut naive) = (Table::default(), BTreeMap::new());
            for (number, key) in (1..).map_while(NonZeroU32::new).zip(&keys) {
                prop_assert_eq!(table.insert(*key, number), !naive.contains_key(key));
                naive.entry(*key).or_insert(number);
            }
            for key in keys.iter().chain(&[0, 1, u32::MAX / 2, u32::MAX]) {
                prop_assert_eq!(table.get(*key), naive.get(key).copied());
            }
            prop_assert_eq!(table.len(), naive.len());
            prop_assert!(table.iter().eq(naive));
        }
    }

    #[test]
    fn a_table_of_many_keys_is_at_least_three_quarters_full() {
        // Clustered keys at the end of the table are displaced beyond the home slots.
        let mut table = Table::default();
        for key in (u32::MAX - 300..=u32::MAX).rev() {
            table.insert(key, NonZeroU32::MIN);
        }
        for number in 1..200_000_u32 {
            let key = number.wrapping_mul(0x9e37_79b9) ^ number >> 7;
            table.insert(key, NonZeroU32::new(number).unwrap());
            let capacity = table.keys.capacity();
            assert!(number < 10_000 || capacity * 3 <= table.entries * 4, "{capacity} slots for {number}");
        }
    }

    /// Clustered keys are refused as soon as an entry would be displaced by more than [`MAX_DISPLACEMENT`] slots, and
    /// the accepted ones are found.
    #[test]
    fn keys_that_are_all_alike_are_turned_away_before_they_cost_much() {
        let mut table = Table::default();
        let added = (0..20_000_u32).filter(|key| table.insert(*key, NonZeroU32::new(key + 1).unwrap())).count();
        assert!((MAX_DISPLACEMENT..=MAX_DISPLACEMENT + MIN_SLOTS).contains(&added), "{added}");
        let found = (0..20_000).filter(|key| table.get(*key).is_some()).count();
        assert_eq!(found, added);
    }
}
