//! Tests that stores, fingerprints and sketches are restored from their serialised forms.

use contracts::{Features, Score};
use event_core::{decode_state, encode_state};
use proptest::prelude::*;

use super::fixtures::{config, embedding, model, record, some_features, some_turns};
use crate::{Store, fingerprint::Fingerprint, levels::feature_levels, token_hashes::CompactSketch};

/// Serialises a state in the format of checkpoints.
fn bytes(state: &impl serde::Serialize) -> Vec<u8> {
    encode_state("test", state).unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_store_is_restored(turns in some_turns(), number in any::<u8>()) {
        let mut store = Store::default();
        for (second, turn) in (1..).zip(&turns) {
            let row = record(&mut store, turn, second);
            if second % 4 == 0 {
                store.set_embedding_of_row(row, &embedding(number));
            }
        }
        let saved = bytes(&store);
        let restored: Store = decode_state("test", &saved).unwrap();
        prop_assert_eq!(bytes(&restored), saved);
        prop_assert_eq!(restored, store);
    }

    #[test]
    fn a_compact_sketch_is_serialised_as_the_sketch(features in some_features()) {
        let compact = CompactSketch::from(&features.sketch);
        prop_assert_eq!(bytes(&compact), bytes(&features.sketch));
        prop_assert_eq!(decode_state::<CompactSketch>("test", &bytes(&features.sketch)).unwrap(), compact);
    }

    #[test]
    fn a_fingerprint_is_restored_with_the_levels_of_its_features(
        features in some_features(), tool_history in any::<bool>()
    ) {
        let features = Features { tool_history, ..features };
        let mut store = Store::default();
        record(&mut store, &(features.clone(), 0, None, Some(Score::ONE)), 1);
        let restored: Fingerprint = decode_state("test", &bytes(&store.fingerprints[0])).unwrap();
        prop_assert_eq!(restored.structure_input().levels, feature_levels(&features));
        prop_assert_eq!(&restored, &store.fingerprints[0]);
        prop_assert_eq!(store.models, [model(0)]);
    }
}
