//! [`SortedMap`], a map for few keys with little memory.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Number of entries up to which the list grows by one entry at a time. Most maps have one entry.
const MAX_EXACT_CAPACITY: usize = 4;

/// A map for few keys, stored as a sorted list of keys and values.
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

    /// Returns the value of the key that `compare` finds equal; inserts `key()` with the default value if there is
    /// none. `compare` returns the order of a stored key relative to the key that is searched.
    pub(crate) fn entry(&mut self, compare: impl Fn(&K) -> Ordering, key: impl FnOnce() -> K) -> &mut V {
        let index = self.0.binary_search_by(|(known, _)| compare(known)).unwrap_or_else(|index| {
            if self.0.len() < MAX_EXACT_CAPACITY {
                self.0.reserve_exact(1);
            }
            self.0.insert(index, (key(), V::default()));
            index
        });
        &mut self.0[index].1
    }
}
