//! Serialises a bounded map as two ordered maps: entries by key, and keys by number of insertion.

use std::{collections::BTreeMap, hash::Hash};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BoundedMap, Entry};

/// Serialised form of a [`BoundedMap`]. Both of its maps are ordered, so equal bounded maps have equal bytes.
#[derive(Serialize, Deserialize)]
struct SavedMap<K: Ord, V> {
    /// Number of the insertion and value, by key.
    entries: BTreeMap<K, (u64, V)>,
    /// Key, by number of the insertion.
    keys: BTreeMap<u64, K>,
    /// Number of insertions and renewals so far.
    insertions: u64,
}

impl<K: Ord + Hash + Serialize, V: Serialize> Serialize for BoundedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.entries.iter().map(|(key, entry)| (key, (entry.insertion, &entry.value)));
        let keys = self.entries.iter().map(|(key, entry)| (entry.insertion, key));
        SavedMap { entries: entries.collect(), keys: keys.collect(), insertions: self.insertions }.serialize(serializer)
    }
}

impl<'de, K, V> Deserialize<'de> for BoundedMap<K, V>
where
    K: Ord + Hash + Deserialize<'de>,
    V: Deserialize<'de>,
{
    /// Deserialises a bounded map and restores the insertion order from the numbers of the entries. The field `keys` is
    /// ignored.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved_map = SavedMap::<K, V>::deserialize(deserializer)?;
        let mut entries: Vec<_> = saved_map.entries.into_iter().collect();
        entries.sort_unstable_by_key(|(_, (insertion, _))| *insertion);
        let entries = entries.into_iter().map(|(key, (insertion, value))| (key, Entry { insertion, value }));
        Ok(Self { entries: entries.collect(), insertions: saved_map.insertions })
    }
}
