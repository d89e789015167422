//! A map of few keys: a list in their order, which takes no more room than what is in it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Lists of so many entries grow by one, longer ones by half or more: most never have a second.
const EXACT: usize = 4;

/// Values by key, each key once, in the order of keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V: Default> Sorted<K, V> {
    /// All entries, by key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The value of the key that compares as equal, which is added when there is none.
    pub(crate) fn entry(&mut self, compare: impl Fn(&K) -> Ordering, key: impl FnOnce() -> K) -> &mut V {
        let place = self.0.binary_search_by(|(known, _)| compare(known)).unwrap_or_else(|place| {
            if self.0.len() < EXACT {
                self.0.reserve_exact(1);
            }
            self.0.insert(place, (key(), V::default()));
            place
        });
        &mut self.0[place].1
    }
}
