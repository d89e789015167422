//! The rows of one workspace.

use std::collections::BTreeMap;

use contracts::{Features, ModelId, NanoUsd, Recommendation, Score, views::PatternSettings};
use serde::{Deserialize, Serialize};

use crate::{
    cluster::recommendation,
    fingerprint::{Fingerprint, Key, key},
    packed::{Packed, Vocabularies},
    row::Row,
};

/// A workspace keeps so many rows; beyond that the one that has gone longest without a change makes room.
pub const ROWS_KEPT: usize = 10_000;

/// The rows of one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    pub(crate) models: Vec<ModelId>,
    /// What a search scans, in the order of `fingerprints`.
    pub(crate) packed: Vec<Packed>,
    pub(crate) fingerprints: Vec<Fingerprint>,
    vocabularies: Vocabularies,
    places: BTreeMap<Key, usize>,
    /// Rows by their last change.
    changes: BTreeMap<u64, (Key, u32)>,
    updates: u64,
    limit: usize,
}

/// A turn that is over.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// What was known of it when it started.
    pub features: &'a Features,
    /// The model that took it.
    pub model: &'a ModelId,
    /// What it cost, when that is known.
    pub cost: Option<NanoUsd>,
}

/// Where a sample went. Says nothing once the row has been evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowId {
    key: Key,
    model: u32,
    born: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self::keeping(ROWS_KEPT)
    }
}

impl Store {
    /// An empty store that keeps at most so many rows.
    pub fn keeping(limit: usize) -> Self {
        Self {
            models: Vec::new(),
            packed: Vec::new(),
            fingerprints: Vec::new(),
            vocabularies: Vocabularies::default(),
            places: BTreeMap::new(),
            changes: BTreeMap::new(),
            updates: 0,
            limit,
        }
    }

    /// Takes in a turn that is over.
    pub fn record(&mut self, sample: Sample<'_>) -> RowId {
        let model = self.model(sample.model);
        let key = key(sample.features);
        let place = self.place(key, sample.features);
        self.updates += 1;
        let (updates, models) = (self.updates, &self.models);
        // Rows stand in the order of model ids, so that ties between them need no look at the ids.
        let rows = &mut self.fingerprints[place].rows;
        let id_of = |row: &Row| models.get(row.model as usize);
        let found = rows.binary_search_by(|row| id_of(row).cmp(&Some(sample.model)));
        let index = found.unwrap_or_else(|index| {
            rows.insert(index, Row::new(model, updates));
            index
        });
        let row = &mut rows[index];
        row.add(sample.cost);
        let id = RowId { key, model, born: row.born };
        let before = std::mem::replace(&mut row.updated, updates);
        self.changes.remove(&before);
        self.changes.insert(updates, (key, model));
        self.make_room();
        id
    }

    /// Replaces the score of a turn that was recorded: takes back the one that counted, counts another.
    pub fn judge(&mut self, row: RowId, before: Option<Score>, now: Option<Score>) {
        let Some(place) = self.places.get(&row.key) else { return };
        let mut rows = self.fingerprints[*place].rows.iter_mut();
        let Some(found) = rows.find(|found| found.model == row.model && found.born == row.born) else { return };
        if let Some(score) = before {
            found.unscore(score);
        }
        if let Some(score) = now {
            found.score(score);
        }
        self.updates += 1;
        let before = std::mem::replace(&mut found.updated, self.updates);
        self.changes.remove(&before);
        self.changes.insert(self.updates, (row.key, row.model));
    }

    /// What the turns most like this one recommend, see [`contracts::views::PatternView::recommend`].
    pub fn recommend(
        &self,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Option<Recommendation> {
        let query = self.vocabularies.pack(features);
        let neighbours = self.nearest(query, settings, known);
        let rows = neighbours.iter().filter_map(|neighbour| self.row(neighbour));
        recommendation(rows, settings)
    }

    /// Distinct sets of features.
    pub fn fingerprints(&self) -> usize {
        self.fingerprints.len()
    }

    /// Pairs of features and model.
    pub fn rows(&self) -> usize {
        self.changes.len()
    }

    /// Turns recorded, and those with a score that counts.
    pub fn samples(&self) -> (u64, u64) {
        let rows = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        rows.fold((0, 0), |(samples, scored), row| (samples + u64::from(row.samples), scored + u64::from(row.scored)))
    }

    /// The number of a model.
    fn model(&mut self, model: &ModelId) -> u32 {
        let index = self.models.iter().position(|known| known == model).unwrap_or_else(|| {
            self.models.push(model.clone());
            self.models.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Where the fingerprint of a key is.
    fn place(&mut self, key: Key, features: &Features) -> usize {
        if let Some(place) = self.places.get(&key) {
            return *place;
        }
        let place = self.fingerprints.len();
        self.fingerprints.push(Fingerprint { key, rows: Vec::new() });
        self.packed.push(self.vocabularies.learn(features));
        self.places.insert(key, place);
        place
    }

    /// Evicts the rows that have gone longest without a change until the limit is kept.
    fn make_room(&mut self) {
        while self.limit < self.changes.len() {
            let Some((_, (key, model))) = self.changes.pop_first() else { return };
            let Some(place) = self.places.get(&key).copied() else { return };
            let rows = &mut self.fingerprints[place].rows;
            rows.retain(|row| row.model != model);
            if rows.is_empty() {
                self.fingerprints.swap_remove(place);
                self.packed.swap_remove(place);
                self.places.remove(&key);
                if let Some(moved) = self.fingerprints.get(place) {
                    self.places.insert(moved.key, place);
                }
            }
        }
    }
}
