//! The serialised form of a store. All other state is derived from it.

use std::collections::BTreeMap;

use contracts::ModelId;
use serde::Deserialize;

use super::Store;
use crate::{
    fingerprint::Fingerprint, packed::Vocabularies, search_index::SearchIndex, space::FeatureSpace,
    vocabulary::Vocabulary,
};

#[derive(Deserialize)]
pub(super) struct SavedStore {
    models: Vec<ModelId>,
    fingerprints: Vec<Fingerprint>,
    vocabularies: Vocabularies,
    workloads: Vocabulary,
    space: FeatureSpace,
    estimate_at: u64,
    updates: u64,
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
