//! What was put in last, beside a list in which one looks for everything.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Serialize;

use super::Latest;

const ROOM: u64 = 5;

#[derive(Debug, Clone)]
enum Step {
    Put(u8, u16),
    Renew(u8),
    Change(u8, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let key = 0..9_u8;
    prop_oneof![
        4 => (key.clone(), any::<u16>()).prop_map(|(key, value)| Step::Put(key, value)),
        2 => key.clone().prop_map(Step::Renew),
        1 => (key, any::<u16>()).prop_map(|(key, value)| Step::Change(key, value)),
    ]
}

/// Keys with when they were put in and their values, the one put in first in front.
#[derive(Default)]
struct Naive {
    entries: Vec<(u8, u64, u16)>,
    inserted: u64,
}

/// What was saved when it was kept in trees, and has to be read as long as there are logs.
#[derive(Serialize)]
struct InTrees {
    room: u64,
    entries: BTreeMap<u8, (u64, u16)>,
    order: BTreeMap<u64, u8>,
    inserted: u64,
}

impl Naive {
    fn out(&mut self, key: u8) -> Option<u16> {
        let place = self.entries.iter().position(|(known, ..)| *known == key)?;
        Some(self.entries.remove(place).2)
    }

    fn put(&mut self, key: u8, value: u16) -> Option<(u8, u16)> {
        self.out(key);
        self.inserted += 1;
        self.entries.push((key, self.inserted, value));
        let is_full = ROOM < self.entries.len() as u64;
        is_full.then(|| self.entries.remove(0)).map(|(key, _, value)| (key, value))
    }

    fn renew(&mut self, key: u8) -> Option<u16> {
        let value = self.out(key)?;
        self.put(key, value);
        Some(value)
    }

    fn in_trees(&self) -> InTrees {
        InTrees {
            room: ROOM,
            entries: self.entries.iter().map(|(key, inserted, value)| (*key, (*inserted, *value))).collect(),
            order: self.entries.iter().map(|(key, inserted, _)| (*inserted, *key)).collect(),
            inserted: self.inserted,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_put_in_last_is_found_saved_as_ever_and_read_again(steps in prop::collection::vec(step(), 0..60)) {
        let (mut latest, mut naive) = (Latest::<u8, u16>::with_room(ROOM), Naive::default());
        for step in steps {
            match step {
                Step::Put(key, value) => prop_assert_eq!(latest.insert(key, value), naive.put(key, value)),
                Step::Renew(key) => prop_assert_eq!(latest.renew(&key).copied(), naive.renew(key)),
                Step::Change(key, value) => {
                    let known = naive.entries.iter_mut().find(|(known, ..)| *known == key);
                    let changed = known.map(|known| known.2 = value);
                    prop_assert_eq!(latest.get_mut(&key).map(|known| *known = value), changed);
                }
            }
            for key in 0..9 {
                let known = naive.entries.iter().find(|(known, ..)| *known == key);
                prop_assert_eq!(latest.get(&key), known.map(|known| &known.2));
            }
        }
        let saved = serde_json::to_string(&latest).unwrap();
        prop_assert_eq!(&saved, &serde_json::to_string(&naive.in_trees()).unwrap());
        prop_assert_eq!(serde_json::from_str::<Latest<u8, u16>>(&saved).unwrap(), latest);
    }
}
