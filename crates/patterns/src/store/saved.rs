//! What is saved of a store; the rest follows from it.

use contracts::ModelId;
use serde::Deserialize;

use super::Store;
use crate::{
    fingerprint::Fingerprint, knowledge::Knowledge, packed::Vocabularies, places::Places, space::Space,
    vocabulary::Vocabulary,
};

#[derive(Deserialize)]
pub(super) struct Saved {
    models: Vec<ModelId>,
    fingerprints: Vec<Fingerprint>,
    vocabularies: Vocabularies,
    workloads: Vocabulary,
    space: Space,
    learn_at: u64,
    updates: u64,
    filling: bool,
}

impl From<Saved> for Store {
    fn from(saved: Saved) -> Self {
        let Saved { models, mut fingerprints, vocabularies, workloads, space, learn_at, updates, filling } = saved;
        fingerprints.shrink_to_fit();
        let knowledge = Knowledge::of(&space, &fingerprints, models.len());
        let mut store = Self {
            models,
            fingerprints,
            vocabularies,
            workloads,
            space,
            learn_at,
            updates,
            filling,
            places: Places::default(),
            rows: 0,
            knowledge,
        };
        store.find_places();
        store
    }
}
