//! A map that keeps only what was put in last.

mod saved;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use hashbrown::HashTable;

/// The entries put in last, as many as there is room for.
#[derive(Debug, Clone)]
pub(crate) struct Latest<K, V> {
    room: u64,
    /// By the hash of their keys, and never walked through in that order. Sessions begin alike: in a tree, to find one
    /// takes a look at where each of ten others is kept.
    entries: HashTable<Entry<K, V>>,
    /// Keys by when they were put in.
    order: BTreeMap<u64, K>,
    inserted: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry<K, V> {
    key: K,
    /// When it was put in.
    inserted: u64,
    value: V,
}

fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl<K: Eq + Hash + Clone, V> Latest<K, V> {
    pub(crate) const fn with_room(room: u64) -> Self {
        Self { room, entries: HashTable::new(), order: BTreeMap::new(), inserted: 0 }
    }

    /// Puts an entry in, and gives back the one that had to make room.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<(K, V)> {
        self.inserted += 1;
        self.order.insert(self.inserted, key.clone());
        if let Some(before) = self.remove(&key) {
            self.order.remove(&before.inserted);
        }
        let entry = Entry { key, inserted: self.inserted, value };
        self.entries.insert_unique(hash(&entry.key), entry, |entry| hash(&entry.key));
        if self.entries.len() as u64 <= self.room {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        let Entry { key, value, .. } = self.remove(&oldest)?;
        Some((key, value))
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entry(key).map(|entry| &entry.value)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.find_mut(hash(key), |entry| entry.key == *key).map(|entry| &mut entry.value)
    }

    /// The entry of a key as if it had been put in last, if there is one.
    pub(crate) fn renew(&mut self, key: &K) -> Option<&mut V> {
        let entry = self.entries.find_mut(hash(key), |entry| entry.key == *key)?;
        self.inserted += 1;
        if let Some(key) = self.order.remove(&entry.inserted) {
            self.order.insert(self.inserted, key);
        }
        entry.inserted = self.inserted;
        Some(&mut entry.value)
    }

    fn entry(&self, key: &K) -> Option<&Entry<K, V>> {
        self.entries.find(hash(key), |entry| entry.key == *key)
    }

    fn remove(&mut self, key: &K) -> Option<Entry<K, V>> {
        let found = self.entries.find_entry(hash(key), |entry| entry.key == *key);
        found.ok().map(|found| found.remove().0)
    }
}

impl<K: Eq + Hash + Clone, V: PartialEq> PartialEq for Latest<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let same = |key| self.entry(key) == other.entry(key);
        (self.room, self.inserted, &self.order) == (other.room, other.inserted, &other.order)
            && self.order.values().all(same)
    }
}

impl<K: Eq + Hash + Clone, V: Eq> Eq for Latest<K, V> {}
