//! What is kept in little room is saved as if it had all there is, and comes back as it was.

use std::collections::BTreeMap;

use contracts::{Score, TurnId};
use event_core::{EventId, decode_state, encode_state};
use proptest::prelude::*;

use super::given::{config, embedding, model, record, some_features, some_turns};
use crate::{Store, bounded::Bounded, fingerprint::Fingerprint, levels::levels, said::Kept};

fn bytes(state: &impl serde::Serialize) -> Vec<u8> {
    encode_state("test", state).unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_store_comes_back_as_it_was(turns in some_turns(), number in any::<u8>()) {
        let mut store = Store::default();
        for (moment, turn) in (1..).zip(&turns) {
            let row = record(&mut store, turn, moment);
            if moment % 4 == 0 {
                store.embed_row(row, &embedding(number));
            }
        }
        let saved = bytes(&store);
        let restored: Store = decode_state("test", &saved).unwrap();
        prop_assert_eq!(bytes(&restored), saved);
        prop_assert_eq!(restored, store);
    }

    #[test]
    fn a_message_is_saved_as_its_sketch(features in some_features()) {
        let kept = Kept::from(&features.sketch);
        prop_assert_eq!(bytes(&kept), bytes(&features.sketch));
        prop_assert_eq!(decode_state::<Kept>("test", &bytes(&features.sketch)).unwrap(), kept);
    }

    #[test]
    fn a_fingerprint_has_the_levels_of_its_features(features in some_features(), tool_history in any::<bool>()) {
        let features = contracts::Features { tool_history, ..features };
        let mut store = Store::default();
        record(&mut store, &(features.clone(), 0, None, Some(Score::ONE)), 1);
        let restored: Fingerprint = decode_state("test", &bytes(&store.fingerprints[0])).unwrap();
        prop_assert_eq!(restored.raw().levels, levels(&features));
        prop_assert_eq!(&restored, &store.fingerprints[0]);
        prop_assert_eq!(store.models, [model(0)]);
    }
}

#[test]
fn a_bounded_map_is_saved_by_key_and_by_when_each_was_put_in() {
    let turns = [3_u64, 1, 2, 4].map(|number| TurnId(EventId::derive(&[&number.to_le_bytes()])));
    let mut bounded = Bounded::<TurnId, u8, 3>::default();
    for (turn, value) in turns.into_iter().zip(10..) {
        bounded.insert(turn, value);
    }
    bounded.remove(turns[2]);
    // The first was forgotten for the last.
    let kept = [(turns[1], 2_u64, 11_u8), (turns[3], 4, 13)];
    let values: BTreeMap<_, _> = kept.iter().map(|(turn, inserted, value)| (*turn, (*inserted, *value))).collect();
    let order: BTreeMap<_, _> = kept.iter().map(|(turn, inserted, _)| (*inserted, *turn)).collect();
    let saved = bytes(&(values, order, 4_u64));
    assert_eq!(bytes(&bounded), saved);
    let mut restored: Bounded<TurnId, u8, 3> = decode_state("test", &saved).unwrap();
    assert_eq!(restored, bounded);
    restored.insert(turns[0], 14);
    restored.insert(turns[2], 15);
    assert_eq!((restored.get(turns[1]), restored.get(turns[3])), (None, Some(&13)));
}
