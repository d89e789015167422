//! A map that keeps only what was put in last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The entries put in last, as many as there is room for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Latest<K: Ord, V> {
    room: u64,
    entries: BTreeMap<K, (u64, V)>,
    /// Keys by when they were put in.
    order: BTreeMap<u64, K>,
    inserted: u64,
}

impl<K: Ord + Clone, V> Latest<K, V> {
    pub(crate) const fn with_room(room: u64) -> Self {
        Self { room, entries: BTreeMap::new(), order: BTreeMap::new(), inserted: 0 }
    }

    /// Puts an entry in, and gives back the one that had to make room.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<(K, V)> {
        self.inserted += 1;
        self.order.insert(self.inserted, key.clone());
        if let Some((before, _)) = self.entries.insert(key, (self.inserted, value)) {
            self.order.remove(&before);
        }
        if self.entries.len() as u64 <= self.room {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        let (_, value) = self.entries.remove(&oldest)?;
        Some((oldest, value))
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key).map(|(_, value)| value)
    }

    /// The entry of a key as if it had been put in last, if there is one.
    pub(crate) fn renew(&mut self, key: &K) -> Option<&mut V> {
        let (inserted, value) = self.entries.get_mut(key)?;
        self.inserted += 1;
        if let Some(key) = self.order.remove(inserted) {
            self.order.insert(self.inserted, key);
        }
        *inserted = self.inserted;
        Some(value)
    }
}
