//! [`SortedMap`], a map that needs little memory for few keys.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Number of entries up to which the list grows by one entry at a time. Most maps have one entry.
const MAX_EXACT_CAPACITY: usize = 4;

/// A map for few keys: a list of keys and values that is sorted by key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V: Default> SortedMap<K, V> {
    /// Returns all entries in the order of keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns the value of a key for modification; a missing key is inserted with the default value.
    ///
    /// `compare` returns the order of a stored key relative to the searched key. `key` creates the searched key, and is
    /// only called if it is missing.
    pub(crate) fn get_or_insert(&mut self, compare: impl Fn(&K) -> Ordering, key: impl FnOnce() -> K) -> &mut V {
        let index = self.0.binary_search_by(|(stored, _)| compare(stored)).unwrap_or_else(|index| {
            if self.0.len() < MAX_EXACT_CAPACITY {
                self.0.reserve_exact(1);
            }
            self.0.insert(index, (key(), V::default()));
            index
        });
        &mut self.0[index].1
    }
}
