//! The serialised form of a store. All other state is derived from it.

use std::collections::BTreeMap;

use contracts::ModelId;
use serde::Deserialize;

use super::Store;
use crate::{
    fingerprint::Fingerprint, packed::Vocabularies, search_index::SearchIndex, space::FeatureSpace,
    vocabulary::Vocabulary,
};

/// The serialised fields of a [`Store`], from which all others are recomputed.
#[derive(Deserialize)]
pub(super) struct SavedStore {
    /// The models in the order of their first turns.
    models: Vec<ModelId>,
    /// The groups of turns with equal features.
    fingerprints: Vec<Fingerprint>,
    /// The values of list features, each with its bit in a mask.
    vocabularies: Vocabularies,
    /// The names of workloads, each with its number.
    workloads: Vocabulary,
    /// The space in which turns are compared.
    space: FeatureSpace,
    /// The number of updates at which estimates are recomputed next.
    estimate_at: u64,
    /// The number of updates so far.
    updates: u64,
    /// Whether the store was reported as filling since its last eviction.
    filling: bool,
}

impl From<SavedStore> for Store {
    fn from(mut saved: SavedStore) -> Self {
        saved.fingerprints.shrink_to_fit();
        let index = SearchIndex::build(&saved.space, &saved.fingerprints, saved.models.len());
        let mut store = Self {
            models: saved.models,
            fingerprints: saved.fingerprints,
            vocabularies: saved.vocabularies,
            workloads: saved.workloads,
            space: saved.space,
            estimate_at: saved.estimate_at,
            updates: saved.updates,
            filling: saved.filling,
            positions: BTreeMap::new(),
            rows: 0,
            index,
        };
        store.rebuild_positions();
        store
    }
}
