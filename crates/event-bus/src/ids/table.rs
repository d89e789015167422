//! A table of keys that are spread evenly, built to keep little room empty.
//!
//! Entries stand in the order of their keys, each where its key says or as near behind as there was room. So a table can
//! grow by any share of itself, and moves to another in one pass: a hash table doubles, and is half empty then.

use std::num::NonZeroU32;

/// It grows when so many of a hundred slots are taken, by a tenth: nine bytes and a half an entry on average.
const MOST_TAKEN: usize = 88;

/// The fewest slots.
const FEWEST: usize = 64;

/// An entry stands at most so far behind where its key says. Of eight million keys that are spread evenly none has to stand
/// further (measured); of others it says how long looking for one may take.
const MOST_BEHIND: usize = 2_048;

/// Numbers by key.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    /// In order, where there is a number.
    keys: Vec<u32>,
    numbers: Vec<Option<NonZeroU32>>,
    /// So many of the slots are where keys say; what has no room there stands behind.
    homes: usize,
    entries: usize,
}

impl Table {
    /// Adds an entry; false when its key is taken, or too many keys are like it.
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

    /// The number of a key.
    pub(super) fn find(&self, key: u32) -> Option<NonZeroU32> {
        let place = self.place(key);
        if self.key_at(place) == Some(key) { self.numbers.get(place).copied().flatten() } else { None }
    }

    /// Where a key stands, or would stand.
    fn place(&self, key: u32) -> usize {
        let home = self.home(key);
        let (keys, numbers) = (self.keys.get(home..).unwrap_or_default(), self.numbers.get(home..).unwrap_or_default());
        let mut slots = keys.iter().zip(numbers);
        home + slots.position(|(known, number)| number.is_none() || key <= *known).unwrap_or(keys.len())
    }

    fn key_at(&self, place: usize) -> Option<u32> {
        let taken = self.numbers.get(place).is_some_and(Option::is_some);
        if taken { self.keys.get(place).copied() } else { None }
    }

    /// Where a key says it stands: keys in order say places in order.
    fn home(&self, key: u32) -> usize {
        // Below the number of slots, so it fits.
        usize::try_from((u64::from(key) * self.homes as u64) >> 32).unwrap_or(usize::MAX)
    }

    /// Makes sure that there is a slot.
    fn reach(&mut self, place: usize) {
        if self.keys.len() <= place {
            // Not twice as many as there are, as lists grow by themselves.
            let more = place + 1 - self.keys.len();
            if self.keys.capacity() <= place {
                self.keys.reserve_exact(more + FEWEST);
                self.numbers.reserve_exact(more + FEWEST);
            }
            self.keys.resize(place + 1, 0);
            self.numbers.resize(place + 1, None);
        }
    }

    /// Moves everything to a table with more room.
    fn grow(&mut self) {
        let homes = (self.entries * 110 / MOST_TAKEN).max(FEWEST);
        // The last few stand behind where keys say.
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

    /// Keys that are spread evenly, and some that are alike.
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
        // At the end of the table many stand behind where their keys say.
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
