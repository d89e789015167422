//! The store of one workspace: its past turns, grouped by features and model.

mod saved;

use std::collections::BTreeMap;

use contracts::{Features, ModelId, NanoUsd, Score, TurnId};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    embedding::Embedding,
    fingerprint::{Fingerprint, FingerprintKey, fingerprint_key},
    growth,
    packed::Vocabularies,
    row::Row,
    search_index::SearchIndex,
    space::FeatureSpace,
    vocabulary::Vocabulary,
};

/// The past turns of one workspace with their outcomes, grouped by features (fingerprints) and model (rows). It
/// re-estimates its feature space and regressions as it grows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "saved::SavedStore")]
pub struct Store {
    /// The models in the order of their first turns. Rows refer to a model by its index.
    pub(crate) models: Vec<ModelId>,
    /// The groups of turns with equal features.
    pub(crate) fingerprints: Vec<Fingerprint>,
    /// The values of list features, each with its bit in a mask.
    pub(crate) vocabularies: Vocabularies,
    /// The names of workloads, each with its number.
    pub(crate) workloads: Vocabulary,
    /// The space in which turns are compared, estimated from the turns themselves.
    pub(crate) space: FeatureSpace,
    /// The number of updates at which the estimates are next recomputed, but at least [`MIN_UPDATES`].
    estimate_at: u64,
    /// The number of updates so far: recorded samples and replaced scores.
    updates: u64,
    /// Whether a `PatternFilling` event reported the store since its last eviction.
    pub(crate) filling: bool,
    /// The index of each fingerprint, by key.
    #[serde(skip)]
    positions: BTreeMap<FingerprintKey, usize>,
    /// The number of rows.
    #[serde(skip)]
    rows: usize,
    /// State derived from the rows, for the search.
    #[serde(skip)]
    pub(crate) index: SearchIndex,
}

/// The number of updates (recorded samples and replaced scores) before feature space and regressions are first
/// estimated.
const MIN_UPDATES: u64 = 16;

/// The outcome of one model in a turn that has ended: the features of the turn and the cost of the model's calls.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The id of the turn.
    pub turn: TurnId,
    /// The features known when the turn started.
    pub features: &'a Features,
    /// The model that answered the calls.
    pub model: &'a ModelId,
    /// The cost of the model's calls; `None` if unknown.
    pub cost: Option<NanoUsd>,
    /// The time at which the turn ended.
    pub at: Timestamp,
}

/// A reference to the row of a sample, for a later score. A score for an evicted row is ignored, even if the same
/// features and model have been recorded again.
///
/// Packed, because there is one for every turn that can be evaluated and the alignment of the key would cost 8 bytes.
#[repr(Rust, packed(8))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowId {
    /// The key of the fingerprint.
    key: FingerprintKey,
    /// The index of the model.
    model: u32,
    /// The number of updates when the row was created: a later row with the same key and model is a different row.
    created: u64,
}

impl Store {
    /// Adds a sample to the row of its features and model, which is created if it is new, and recomputes estimates if
    /// they are due. Returns a reference for [`replace_score`](Self::replace_score).
    pub fn record(&mut self, sample: Sample<'_>) -> RowId {
        let model = self.model_index(sample.model);
        let key = fingerprint_key(sample.features);
        let position = self.find_or_insert(key, sample.features);
        self.updates += 1;
        self.fingerprints[position].count_turn(sample.turn);
        let row = self.row_mut(position, model, sample.model);
        row.sums.add_turn(sample.cost);
        // An import may record older turns after newer ones.
        if row.changed_at <= sample.at {
            (row.changed_at, row.turn) = (sample.at, sample.turn);
        }
        let id = RowId { key, model, created: row.created };
        self.index.model_mut(model).sums.add_turn(sample.cost);
        self.estimate_if_due();
        id
    }

    /// Returns the row of a model in the fingerprint at `position`, and marks it as updated. A new row is inserted if
    /// the model has none. `model` is the index of the model in the store, `id` its id.
    fn row_mut(&mut self, position: usize, model: u32, id: &ModelId) -> &mut Row {
        let (updates, models) = (self.updates, &self.models);
        // Rows are ordered by model id, so that ties are broken without a lookup.
        let rows = &mut self.fingerprints[position].rows;
        let id_of = |row: &Row| models.get(row.model as usize);
        let index = rows.binary_search_by(|row| id_of(row).cmp(&Some(id))).unwrap_or_else(|index| {
            // Most fingerprints have a single row.
            rows.reserve_exact(1);
            rows.insert(index, Row::new(model, updates));
            self.rows += 1;
            index
        });
        let row = &mut rows[index];
        row.updated = updates;
        row
    }

    /// Replaces the score of a recorded turn: subtracts `before` and adds `after` (`None` is no score), marks the row
    /// as changed at `at`, and recomputes estimates if they are due. Does nothing if the row has been evicted.
    pub fn replace_score(&mut self, id: RowId, before: Option<Score>, after: Option<Score>, at: Timestamp) {
        let Some(position) = self.position(id.key) else { return };
        let Some(fingerprint) = self.fingerprints.get_mut(position) else { return };
        let Some(row) = fingerprint.row_mut(id.model).filter(|row| row.created == id.created) else { return };
        self.updates += 1;
        (row.updated, row.changed_at) = (self.updates, row.changed_at.max(at));
        for sums in [&mut row.sums, &mut self.index.model_mut(id.model).sums] {
            sums.replace_score(before, after);
        }
        self.index.update_scored(&self.space, id.model, position, fingerprint);
        self.estimate_if_due();
    }

    /// Returns the model of a row; `None` if the store has no model with its index.
    pub(crate) fn row_model(&self, row: RowId) -> Option<&ModelId> {
        self.models.get(row.model as usize)
    }

    /// Sets the embedding of all fingerprints whose message has the hash `text`.
    pub(crate) fn set_embedding_of_text(&mut self, text: u64, embedding: &Embedding) {
        let positioned = self.fingerprints.iter_mut().enumerate();
        for (position, fingerprint) in positioned.filter(|(_, fingerprint)| fingerprint.text == Some(text)) {
            self.index.set_embedding(embedding.index_as(position));
            fingerprint.embedding = Some(Box::new(embedding.clone()));
        }
    }

    /// Sets the embedding of the fingerprint to which a row belongs; does nothing if the fingerprint has been evicted.
    pub(crate) fn set_embedding_of_row(&mut self, row: RowId, embedding: &Embedding) {
        let Some(position) = self.position(row.key) else { return };
        let Some(fingerprint) = self.fingerprints.get_mut(position) else { return };
        self.index.set_embedding(embedding.index_as(position));
        fingerprint.embedding = Some(Box::new(embedding.clone()));
    }

    /// Evicts the rows last changed before `unchanged_since`, and of the others all but the `keep` most recently
    /// updated. `unchanged_since` of `None` evicts no row because of its age. Then removes fingerprints without rows
    /// and recomputes all estimates.
    pub(crate) fn evict(&mut self, unchanged_since: Option<Timestamp>, keep: u32) {
        let is_recent = |row: &Row| unchanged_since.is_none_or(|since| since <= row.changed_at);
        let rows = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        let mut updates: Vec<u64> = rows.filter(|row| is_recent(row)).map(|row| row.updated).collect();
        updates.sort_unstable();
        // The update counter is unique, so exactly `keep` rows have at least this value.
        let first_kept = match updates.len().checked_sub(keep as usize) {
            None | Some(0) => 0,
            Some(evicted) => updates.get(evicted).copied().unwrap_or(u64::MAX),
        };
        for fingerprint in &mut self.fingerprints {
            fingerprint.rows.retain(|row| is_recent(row) && first_kept <= row.updated);
        }
        self.fingerprints.retain(|fingerprint| !fingerprint.rows.is_empty());
        self.fingerprints.shrink_to_fit();
        self.filling = false;
        self.rebuild_positions();
        self.estimate_space();
    }

    /// Returns the number of rows last changed before `since`.
    pub(crate) fn rows_unchanged_since(&self, since: Timestamp) -> usize {
        let rows = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        rows.filter(|row| row.changed_at < since).count()
    }

    /// Returns the number of distinct sets of features.
    pub fn fingerprints(&self) -> usize {
        self.fingerprints.len()
    }

    /// Returns the number of rows: pairs of features and model.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of samples, and the number of those with a score that counts. A turn is one sample for each
    /// model that worked on it.
    pub fn samples(&self) -> (u64, u64) {
        let models = self.index.models.iter().map(|model| &model.sums);
        models.fold((0, 0), |(samples, scored), sums| {
            (samples + u64::from(sums.samples), scored + u64::from(sums.scored))
        })
    }

    /// Returns the index of a model in the store's models. A new model is appended.
    fn model_index(&mut self, model: &ModelId) -> u32 {
        let index = self.models.iter().position(|known| known == model).unwrap_or_else(|| {
            self.models.push(model.clone());
            self.models.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Returns the index of the fingerprint with a key; `None` if there is none.
    fn position(&self, key: FingerprintKey) -> Option<usize> {
        self.positions.get(&key).copied()
    }

    /// Returns the index of the fingerprint with a key. A new fingerprint of `features` is appended if there is none.
    fn find_or_insert(&mut self, key: FingerprintKey, features: &Features) -> usize {
        if let Some(position) = self.position(key) {
            return position;
        }
        let position = self.fingerprints.len();
        let packed = self.vocabularies.intern(features);
        let workload = features.workload.as_ref().map_or(0, |name| self.workloads.intern(name));
        growth::push(&mut self.fingerprints, Fingerprint::new(key, packed, workload, features));
        self.index.push(&self.space, &self.fingerprints[position]);
        self.positions.insert(key, position);
        position
    }

    /// Recomputes the estimates if the number of updates has reached the next limit: the regressions after every eighth
    /// of a doubling, the feature space at every doubling. The amortised cost of each update is therefore constant.
    fn estimate_if_due(&mut self) {
        if self.updates < self.estimate_at.max(MIN_UPDATES) {
            return;
        }
        if self.updates.is_power_of_two() {
            self.estimate_space();
        } else {
            self.index.fit(&self.space, &mut self.fingerprints);
        }
        let eighth = (1_u64 << self.updates.max(1).ilog2()) / 8;
        self.estimate_at = self.updates + eighth.max(1);
    }

    /// Estimates the feature space from all rows, rebuilds the search index and fits the regressions. The fits start
    /// from the previous coefficients, which change little from one space to the next.
    fn estimate_space(&mut self) {
        self.space = FeatureSpace::estimate(&self.fingerprints);
        // Freed first, so that only one index is in memory.
        self.index = SearchIndex::default();
        self.index = SearchIndex::build(&self.space, &self.fingerprints, self.models.len());
        self.index.fit(&self.space, &mut self.fingerprints);
    }

    /// Recomputes the map from keys to fingerprints and the number of rows, which are not saved. Called after
    /// deserialisation and after an eviction.
    fn rebuild_positions(&mut self) {
        let keys = self.fingerprints.iter().map(|fingerprint| fingerprint.key);
        self.positions = keys.zip(0..).collect();
        self.rows = self.fingerprints.iter().map(|fingerprint| fingerprint.rows.len()).sum();
    }
}
