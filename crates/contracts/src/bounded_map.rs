//! A map for projections that keeps the most recently inserted entries.

mod saved;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasherDefault, DefaultHasher, Hash};

use hashlink::LinkedHashMap;

/// A map in insertion order, from which each insertion removes the oldest entry beyond a capacity.
///
/// All iteration is in insertion order, so that no result depends on hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedMap<K: Eq + Hash, V> {
    entries: LinkedHashMap<K, Entry<V>, BuildHasherDefault<DefaultHasher>>,
    /// The number of insertions so far.
    insertions: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry<V> {
    /// The number of its insertion, from 1.
    insertion: u64,
    value: V,
}

impl<K: Eq + Hash, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        Self { entries: LinkedHashMap::default(), insertions: 0 }
    }
}

impl<K: Eq + Hash, V> BoundedMap<K, V> {
    /// Inserts an entry as the newest, in place of one with the same key. Removes and returns the oldest entry if there are
    /// more than `capacity` now.
    pub fn insert(&mut self, key: K, value: V, capacity: usize) -> Option<(K, V)> {
        self.insertions += 1;
        self.entries.insert(key, Entry { insertion: self.insertions, value });
        if self.entries.len() <= capacity {
            return None;
        }
        self.entries.pop_front().map(|(key, entry)| (key, entry.value))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Returns the value of a key.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    /// Returns the value of a key and makes its entry the newest.
    pub fn renew(&mut self, key: &K) -> Option<&mut V> {
        let entry = self.entries.to_back(key)?;
        self.insertions += 1;
        entry.insertion = self.insertions;
        Some(&mut entry.value)
    }

    /// Removes the entry of a key and returns its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.entries.remove(key).map(|entry| entry.value)
    }

    /// Removes the entries whose value does not satisfy `keep`.
    pub fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.entries.retain(|_, entry| keep(&entry.value));
    }

    /// All values, the oldest first.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|entry| &mut entry.value)
    }
}
