//! A map of what was put in last as it is saved: by key, and the keys by when they were put in.

use std::{collections::BTreeMap, hash::Hash};

use hashbrown::HashTable;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Entry, Latest, hash};

/// Both sides of it; what is written is borrowed.
#[derive(Serialize, Deserialize)]
struct Saved<K: Ord, T, O> {
    room: u64,
    entries: BTreeMap<K, T>,
    order: O,
    inserted: u64,
}

impl<K: Ord + Hash + Serialize, V: Serialize> Serialize for Latest<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { room, entries, order, inserted } = self;
        let entries: BTreeMap<_, _> =
            entries.iter().map(|Entry { key, inserted, value }| (key, (inserted, value))).collect();
        Saved { room: *room, entries, order, inserted: *inserted }.serialize(serializer)
    }
}

impl<'de, K, V> Deserialize<'de> for Latest<K, V>
where
    K: Ord + Hash + Deserialize<'de>,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved { room, entries, order, inserted } =
            Saved::<K, (u64, V), BTreeMap<u64, K>>::deserialize(deserializer)?;
        let mut table = HashTable::with_capacity(entries.len());
        for (key, (inserted, value)) in entries {
            let entry = Entry { key, inserted, value };
            table.insert_unique(hash(&entry.key), entry, |entry| hash(&entry.key));
        }
        Ok(Self { room, entries: table, order, inserted })
    }
}
