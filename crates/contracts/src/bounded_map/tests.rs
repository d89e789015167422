//! Compares the map with a list that is searched linearly, after random steps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::BoundedMap;

/// Capacity of the maps; fewer than the 9 keys, so that entries are evicted.
const CAPACITY: usize = 5;

/// A random operation on the map. The first number is the key.
#[derive(Debug, Clone)]
enum Step {
    /// Inserts a value.
    Insert(u8, u16),
    /// Makes the entry the newest.
    Renew(u8),
    /// Changes the value without renewing the entry.
    Change(u8, u16),
    /// Removes the entry.
    Remove(u8),
    /// Removes the values below this number.
    Retain(u16),
}

/// Generates steps with the keys 0 to 8, mostly insertions.
fn step() -> impl Strategy<Value = Step> {
    let key = 0..9_u8;
    prop_oneof![
        6 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Step::Insert(key, value)),
        2 => key.clone().prop_map(Step::Renew),
        1 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Step::Change(key, value)),
        2 => key.prop_map(Step::Remove),
        1 => (0..30_000_u16).prop_map(Step::Retain),
    ]
}

/// A simple implementation of the map, without a hash table.
#[derive(Default)]
struct Reference {
    /// Entries as (key, number of the insertion, value), oldest first.
    entries: Vec<(u8, u64, u16)>,
    /// Number of insertions and renewals so far.
    insertions: u64,
}

impl Reference {
    /// Removes an entry and returns its value, as [`BoundedMap::remove`] does; `None` if there is none.
    fn remove(&mut self, key: u8) -> Option<u16> {
        let position = self.entries.iter().position(|(known, ..)| *known == key)?;
        Some(self.entries.remove(position).2)
    }

    /// Inserts an entry as the newest, as [`BoundedMap::insert`] does with the capacity [`CAPACITY`]. Returns the
    /// removed entry.
    fn insert(&mut self, key: u8, value: u16) -> Option<(u8, u16)> {
        self.remove(key);
        self.insertions += 1;
        self.entries.push((key, self.insertions, value));
        let exceeds = CAPACITY < self.entries.len();
        exceeds.then(|| self.entries.remove(0)).map(|(key, _, value)| (key, value))
    }

    /// Makes an entry the newest, as [`BoundedMap::renew`] does, and returns its value.
    fn renew(&mut self, key: u8) -> Option<u16> {
        let value = self.remove(key)?;
        self.insert(key, value);
        Some(value)
    }

    /// Returns the value of a key for modification, as [`BoundedMap::get_mut`] does.
    fn value_mut(&mut self, key: u8) -> Option<&mut u16> {
        self.entries.iter_mut().find(|(known, ..)| *known == key).map(|entry| &mut entry.2)
    }

    /// Returns the expected serialised form.
    fn saved(&self) -> serde_json::Value {
        let entries: BTreeMap<_, _> = self.entries.iter().map(|(key, number, value)| (key, (number, value))).collect();
        let keys: BTreeMap<_, _> = self.entries.iter().map(|(key, number, _)| (number, key)).collect();
        serde_json::json!({ "entries": entries, "keys": keys, "insertions": self.insertions })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// After each step, both have the same result, values and order; finally the same serialised form, which is read
    /// back to an equal map.
    #[test]
    fn the_map_behaves_and_is_serialised_like_the_list(steps in prop::collection::vec(step(), 0..100)) {
        let (mut map, mut reference) = (BoundedMap::<u8, u16>::default(), Reference::default());
        for step in steps {
            match step {
                Step::Insert(key, value) => prop_assert_eq!(map.insert(key, value, CAPACITY), reference.insert(key, value)),
                Step::Renew(key) => prop_assert_eq!(map.renew(&key).copied(), reference.renew(key)),
                Step::Remove(key) => prop_assert_eq!(map.remove(&key), reference.remove(key)),
                Step::Change(key, value) => {
                    let changed = reference.value_mut(key).map(|known| *known = value);
                    prop_assert_eq!(map.get_mut(&key).map(|known| *known = value), changed);
                }
                Step::Retain(least) => {
                    map.retain(|value| least <= *value);
                    reference.entries.retain(|(.., value)| least <= *value);
                }
            }
            for key in 0..9 {
                prop_assert_eq!(map.get(&key).copied(), reference.value_mut(key).copied());
            }
            let values: Vec<u16> = map.values_mut().map(|value| *value).collect();
            prop_assert_eq!(values, reference.entries.iter().map(|entry| entry.2).collect::<Vec<_>>());
        }
        let saved = serde_json::to_value(&map).unwrap();
        prop_assert_eq!(&saved, &reference.saved());
        prop_assert_eq!(serde_json::from_value::<BoundedMap<u8, u16>>(saved).unwrap(), map);
    }
}
