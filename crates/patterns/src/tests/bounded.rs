//! What is remembered in a bounded map, beside a list in which one looks for everything.

use proptest::prelude::*;

use super::given::config;
use crate::bounded::Bounded;

const LIMIT: usize = 8;

#[derive(Debug, Clone)]
enum Step {
    Put(u64, u8),
    Out(u64),
    /// Only values of at least so much stay.
    Kept(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..20_u64, any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
        4 => (0..20_u64).prop_map(Step::Out),
        1 => (0..200_u8).prop_map(Step::Kept),
    ]
}

/// Keys with their values, the one put in first first.
#[derive(Default)]
struct Naive(Vec<(u64, u8)>);

impl Naive {
    fn out(&mut self, key: u64) -> Option<u8> {
        let place = self.0.iter().position(|(known, _)| *known == key)?;
        Some(self.0.remove(place).1)
    }

    fn put(&mut self, key: u64, value: u8) {
        self.out(key);
        self.0.push((key, value));
        if LIMIT < self.0.len() {
            self.0.remove(0);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_was_put_in_last_is_found_until_it_is_taken_out(steps in prop::collection::vec(step(), 0..200)) {
        let (mut bounded, mut naive) = (Bounded::<u64, u8, LIMIT>::default(), Naive::default());
        for step in steps {
            match step {
                Step::Put(key, value) => {
                    bounded.insert(key, value);
                    naive.put(key, value);
                }
                Step::Out(key) => prop_assert_eq!(bounded.remove(key), naive.out(key)),
                Step::Kept(least) => {
                    bounded.retain(|value| least <= *value);
                    naive.0.retain(|(_, value)| least <= *value);
                }
            }
            let values: Vec<_> = bounded.values_mut().map(|value| *value).collect();
            prop_assert_eq!(values, naive.0.iter().map(|(_, value)| *value).collect::<Vec<_>>());
            for key in 0..20 {
                let known = naive.0.iter().find(|(known, _)| *known == key).map(|(_, value)| value);
                prop_assert_eq!((bounded.get(key), bounded.contains(key)), (known, known.is_some()));
                prop_assert_eq!(bounded.get_mut(key).map(|value| &*value), known);
            }
        }
    }
}

#[test]
fn one_that_stays_does_not_keep_the_room_of_those_that_went_after_it() {
    let mut bounded = Bounded::<u64, u8, LIMIT>::default();
    bounded.insert(0, 7);
    for key in 1..10_000 {
        bounded.insert(key, 1);
        assert_eq!(bounded.remove(key), Some(1));
    }
    assert_eq!(bounded.get(0), Some(&7));
    assert!(bounded.room() <= 64, "room for {}", bounded.room());
}

#[test]
fn a_full_one_keeps_room_for_one_more_than_its_limit() {
    let mut bounded = Bounded::<u64, u8, 1_000>::default();
    for key in 0..5_000 {
        bounded.insert(key, 1);
    }
    assert_eq!(bounded.room(), 1_001);
}
