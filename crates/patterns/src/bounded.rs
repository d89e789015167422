//! A map that keeps only what was put in last.
//!
//! Twenty thousand turns are kept in one, so it is built to be small: one row of entries in the order in which they were
//! put in, and a table of their seats.

mod saved;

use std::collections::VecDeque;

use crate::{growth::more, places::Places, spread::Spread};

/// The latest `LIMIT` keys that were put in, each with what is remembered of it.
#[derive(Debug, Clone)]
pub(crate) struct Bounded<K, T, const LIMIT: usize> {
    /// In the order in which they were put in.
    entries: VecDeque<Entry<K, T>>,
    /// The seat of every key that is in: one more for each entry, going on from 0 after the last number there is. So
    /// many entries are never kept, and a seat stays the same while those before it go.
    seats: Places,
    /// The seat of the first entry.
    first: u32,
    inserted: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry<K, T> {
    /// When it was put in.
    inserted: u64,
    key: K,
    /// `None` once it was taken out.
    value: Option<T>,
}

impl<K, T, const LIMIT: usize> Default for Bounded<K, T, LIMIT> {
    fn default() -> Self {
        Self { entries: VecDeque::new(), seats: Places::default(), first: 0, inserted: 0 }
    }
}

impl<K: PartialEq, T: PartialEq, const LIMIT: usize> PartialEq for Bounded<K, T, LIMIT> {
    fn eq(&self, other: &Self) -> bool {
        self.inserted == other.inserted && self.kept().eq(other.kept())
    }
}

impl<K: Eq, T: Eq, const LIMIT: usize> Eq for Bounded<K, T, LIMIT> {}

impl<K, T, const LIMIT: usize> Bounded<K, T, LIMIT> {
    /// The entries that were not taken out.
    fn kept(&self) -> impl Iterator<Item = &Entry<K, T>> {
        self.entries.iter().filter(|entry| entry.value.is_some())
    }

    /// So many entries fit without asking for memory.
    #[cfg(test)]
    pub(crate) fn room(&self) -> usize {
        self.entries.capacity()
    }

    /// Everything remembered, the oldest first.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().filter_map(|entry| entry.value.as_mut())
    }
}

impl<K: Spread, T, const LIMIT: usize> Bounded<K, T, LIMIT> {
    /// Puts a key in, forgetting the one put in first when there are too many.
    pub(crate) fn insert(&mut self, key: K, value: T) {
        self.remove(key);
        self.inserted += 1;
        self.push(Entry { inserted: self.inserted, key, value: Some(value) });
        while LIMIT < self.seats.len() {
            let Some(oldest) = self.entries.front() else { return };
            self.remove(oldest.key);
        }
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut T> {
        let place = self.place(key)?;
        self.entries.get_mut(place)?.value.as_mut()
    }

    pub(crate) fn get(&self, key: K) -> Option<&T> {
        self.entries.get(self.place(key)?)?.value.as_ref()
    }

    pub(crate) fn contains(&self, key: K) -> bool {
        self.place(key).is_some()
    }

    /// Forgets all but those that are to be kept.
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.entries.retain(|entry| entry.value.as_ref().is_some_and(&keep));
        self.take_seats();
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<T> {
        let Self { entries, seats, first, .. } = self;
        let seat = seats.remove(key, |seat| key_at(entries, *first, seat))?;
        let value = entries.get_mut(place(*first, seat))?.value.take();
        while entries.pop_front_if(|oldest| oldest.value.is_none()).is_some() {
            *first = first.wrapping_add(1);
        }
        // One that stays long must not keep the entries of all that went after it.
        if 2 * seats.len() + 16 < entries.len() {
            entries.retain(|entry| entry.value.is_some());
            self.take_seats();
        }
        value
    }

    fn place(&self, key: K) -> Option<usize> {
        let seat = self.seats.find(key, |seat| key_at(&self.entries, self.first, seat))?;
        Some(place(self.first, seat))
    }

    /// Adds an entry whose key is not in.
    fn push(&mut self, entry: Entry<K, T>) {
        let Self { entries, seats, first, .. } = self;
        if entries.len() == entries.capacity() {
            // One is put in before another is forgotten.
            let room = (LIMIT + 1).saturating_sub(entries.len());
            let more = more(entries.len());
            entries.reserve_exact(if room == 0 { more } else { more.min(room) });
        }
        let seat = first.wrapping_add(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        let key = entry.key;
        entries.push_back(entry);
        seats.add(key, seat, |seat| key_at(entries, *first, seat));
    }

    /// Gives every entry a seat, from the first.
    fn take_seats(&mut self) {
        self.first = 0;
        self.seats = Places::of(self.entries.len(), |seat| key_at(&self.entries, 0, seat));
    }
}

fn key_at<K: Copy, T>(entries: &VecDeque<Entry<K, T>>, first: u32, seat: u32) -> Option<K> {
    entries.get(place(first, seat)).map(|entry| entry.key)
}

/// Where the entry with a seat is.
const fn place(first: u32, seat: u32) -> usize {
    seat.wrapping_sub(first) as usize
}
