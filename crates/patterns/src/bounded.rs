//! A map that keeps only what was put in last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The latest `LIMIT` keys that were put in, each with what is remembered of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bounded<K: Ord, T, const LIMIT: usize> {
    values: BTreeMap<K, (u64, T)>,
    /// Keys by when they were put in.
    order: BTreeMap<u64, K>,
    inserted: u64,
}

impl<K: Ord, T, const LIMIT: usize> Default for Bounded<K, T, LIMIT> {
    fn default() -> Self {
        Self { values: BTreeMap::new(), order: BTreeMap::new(), inserted: 0 }
    }
}

impl<K: Ord + Copy, T, const LIMIT: usize> Bounded<K, T, LIMIT> {
    /// Puts a key in, forgetting the one put in first when there are too many.
    pub(crate) fn insert(&mut self, key: K, value: T) {
        self.inserted += 1;
        if let Some((before, _)) = self.values.insert(key, (self.inserted, value)) {
            self.order.remove(&before);
        }
        self.order.insert(self.inserted, key);
        while LIMIT < self.values.len() {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.values.remove(&oldest);
        }
    }

    pub(crate) fn get_mut(&mut self, key: K) -> Option<&mut T> {
        self.values.get_mut(&key).map(|(_, value)| value)
    }

    pub(crate) fn get(&self, key: K) -> Option<&T> {
        self.values.get(&key).map(|(_, value)| value)
    }

    pub(crate) fn contains(&self, key: K) -> bool {
        self.values.contains_key(&key)
    }

    /// Forgets all but those that are to be kept.
    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.values.retain(|_, (_, value)| keep(value));
        self.order.retain(|_, key| self.values.contains_key(key));
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<T> {
        let (inserted, value) = self.values.remove(&key)?;
        self.order.remove(&inserted);
        Some(value)
    }
}
