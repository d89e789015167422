//! [`BoundedMap`], a map that keeps the most recently inserted entries. Projections limit their memory with it.

mod saved;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasherDefault, DefaultHasher, Hash};

use hashlink::LinkedHashMap;

/// A map in insertion order with a limited number of entries.
///
/// Each insertion states a capacity and removes the oldest entry beyond it. Iteration is in insertion order, so no
/// result depends on hash values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedMap<K: Eq + Hash, V> {
    /// Entries, oldest first.
    entries: LinkedHashMap<K, Entry<V>, BuildHasherDefault<DefaultHasher>>,
    /// Number of insertions and renewals so far.
    insertions: u64,
}

/// A value of a bounded map, with the number of its insertion, by which the oldest entry is found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry<V> {
    /// Number of the insertion or renewal that made the entry the newest, counted from 1.
    insertion: u64,
    /// The stored value.
    value: V,
}

impl<K: Eq + Hash, V> Default for BoundedMap<K, V> {
    fn default() -> Self {
        Self { entries: LinkedHashMap::default(), insertions: 0 }
    }
}

impl<K: Eq + Hash, V> BoundedMap<K, V> {
    /// Inserts an entry as the newest; replaces an entry with the same key.
    ///
    /// Removes and returns the oldest entry if the map then has more than `capacity` entries; otherwise returns `None`.
    pub fn insert(&mut self, key: K, value: V, capacity: usize) -> Option<(K, V)> {
        self.insertions += 1;
        self.entries.insert(key, Entry { insertion: self.insertions, value });
        if self.entries.len() <= capacity {
            return None;
        }
        self.entries.pop_front().map(|(key, entry)| (key, entry.value))
    }

    /// Returns the value of a key; `None` if it has no entry.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Returns the value of a key for modification; `None` if it has no entry. The position of the entry does not
    /// change.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|entry| &mut entry.value)
    }

    /// Makes the entry of a key the newest and returns its value; `None` if it has no entry.
    pub fn renew(&mut self, key: &K) -> Option<&mut V> {
        let entry = self.entries.to_back(key)?;
        self.insertions += 1;
        entry.insertion = self.insertions;
        Some(&mut entry.value)
    }

    /// Removes the entry of a key and returns its value; `None` if it has no entry.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.entries.remove(key).map(|entry| entry.value)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns all keys, oldest first.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.entries.keys()
    }

    /// Returns all values, oldest first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries.values().map(|entry| &entry.value)
    }

    /// Removes the entries whose value does not satisfy `keep`.
    pub fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.entries.retain(|_, entry| keep(&entry.value));
    }

    /// Returns all values for modification, oldest first. The order of the entries does not change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|entry| &mut entry.value)
    }
}
