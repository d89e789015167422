//! A bounded map as it is saved: by key, and the keys by when they were put in.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Bounded, Entry};
use crate::spread::Spread;

#[derive(Serialize, Deserialize)]
struct Saved<K: Ord, T> {
    values: BTreeMap<K, (u64, T)>,
    order: BTreeMap<u64, K>,
    inserted: u64,
}

impl<K: Ord + Copy + Serialize, T: Serialize, const LIMIT: usize> Serialize for Bounded<K, T, LIMIT> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.entries.iter().filter_map(|entry| Some((entry.key, (entry.inserted, entry.value.as_ref()?))));
        let order = self.kept().map(|entry| (entry.inserted, entry.key)).collect();
        Saved { values: values.collect(), order, inserted: self.inserted }.serialize(serializer)
    }
}

impl<'de, K, T, const LIMIT: usize> Deserialize<'de> for Bounded<K, T, LIMIT>
where
    K: Ord + Spread + Deserialize<'de>,
    T: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = Saved::<K, T>::deserialize(deserializer)?;
        let entries =
            saved.values.into_iter().map(|(key, (inserted, value))| Entry { inserted, key, value: Some(value) });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_unstable_by_key(|entry| entry.inserted);
        let mut bounded = Self { entries: entries.into(), inserted: saved.inserted, ..Self::default() };
        bounded.take_seats();
        Ok(bounded)
    }
}
