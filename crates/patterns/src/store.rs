//! The rows of one workspace.

mod saved;

use contracts::{Features, ModelId, NanoUsd, Score, TurnId};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{
    embedding::Embedding,
    fingerprint::{Fingerprint, Key, key},
    growth,
    knowledge::Knowledge,
    packed::Vocabularies,
    places::Places,
    row::{Row, Sums},
    space::Space,
    vocabulary::Vocabulary,
};

/// The rows of one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "saved::Saved")]
pub struct Store {
    pub(crate) models: Vec<ModelId>,
    pub(crate) fingerprints: Vec<Fingerprint>,
    pub(crate) vocabularies: Vocabularies,
    pub(crate) workloads: Vocabulary,
    pub(crate) space: Space,
    /// The store learns at so many updates.
    learn_at: u64,
    updates: u64,
    /// Whether the log has been told that it is filling.
    pub(crate) filling: bool,
    /// Of fingerprints, by key.
    #[serde(skip)]
    places: Places,
    #[serde(skip)]
    rows: usize,
    #[serde(skip)]
    pub(crate) knowledge: Knowledge,
}

/// A store that has changed less often has too little to learn from.
const FIRST_LEARNED: u64 = 16;

/// A turn that is over.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The turn.
    pub turn: TurnId,
    /// What was known of it when it started.
    pub features: &'a Features,
    /// The model that took it.
    pub model: &'a ModelId,
    /// What it cost, when that is known.
    pub cost: Option<NanoUsd>,
    /// When it ended.
    pub at: Timestamp,
}

/// Where a sample went. Says nothing once the row has been evicted. There is one for every turn that can be judged, so its
/// parts stand closer than a key of sixteen bytes would have them.
#[repr(Rust, packed(8))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowId {
    key: Key,
    model: u32,
    born: u64,
}

impl Store {
    /// Takes in a turn that is over.
    pub fn record(&mut self, sample: Sample<'_>) -> RowId {
        let model = self.model(sample.model);
        let key = key(sample.features);
        let place = self.place(key, sample.features);
        self.updates += 1;
        self.fingerprints[place].count(sample.turn);
        let (updates, models) = (self.updates, &self.models);
        // Rows stand in the order of model ids, so that ties between them need no look at the ids.
        let rows = &mut self.fingerprints[place].rows;
        let id_of = |row: &Row| models.get(row.model as usize);
        let found = rows.binary_search_by(|row| id_of(row).cmp(&Some(sample.model)));
        let index = found.unwrap_or_else(|index| {
            // Most often there is one, and no other follows.
            rows.reserve_exact(1);
            rows.insert(index, Row::new(model, updates));
            self.rows += 1;
            index
        });
        let row = &mut rows[index];
        row.sums.add(sample.cost);
        row.updated = updates;
        // Turns of old are imported after newer ones.
        if row.changed_at <= sample.at {
            (row.changed_at, row.turn) = (sample.at, sample.turn);
        }
        let id = RowId { key, model, born: row.born };
        self.knowledge.model(model).sums.add(sample.cost);
        self.learn_when_due();
        id
    }

    /// Replaces the score of a turn that was recorded: takes back the one that counted, counts another.
    pub fn judge(&mut self, row: RowId, before: Option<Score>, now: Option<Score>, at: Timestamp) {
        let Some(place) = self.find(row.key) else { return };
        let Some(fingerprint) = self.fingerprints.get_mut(place) else { return };
        let Some(found) = fingerprint.row_mut(row.model).filter(|found| found.born == row.born) else { return };
        self.updates += 1;
        (found.updated, found.changed_at) = (self.updates, found.changed_at.max(at));
        for sums in [&mut found.sums, &mut self.knowledge.model(row.model).sums] {
            sums.replace(before, now);
        }
        self.knowledge.note_scored(&self.space, row.model, place, fingerprint);
        self.learn_when_due();
    }

    /// The model of a row.
    pub(crate) fn model_of(&self, row: RowId) -> Option<&ModelId> {
        self.models.get(row.model as usize)
    }

    /// Takes in the meaning of a message.
    pub(crate) fn embed(&mut self, text: u64, embedding: &Embedding) {
        let all = self.fingerprints.iter_mut().enumerate();
        for (place, fingerprint) in all.filter(|(_, fingerprint)| fingerprint.text == Some(text)) {
            self.knowledge.note_embedded(embedding.at(place));
            fingerprint.embedding = Some(Box::new(embedding.clone()));
        }
    }

    /// Takes in the meaning of the message of a turn that was recorded.
    pub(crate) fn embed_row(&mut self, row: RowId, embedding: &Embedding) {
        let Some(place) = self.find(row.key) else { return };
        let Some(fingerprint) = self.fingerprints.get_mut(place) else { return };
        self.knowledge.note_embedded(embedding.at(place));
        fingerprint.embedding = Some(Box::new(embedding.clone()));
    }

    /// Evicts rows that have not changed since a time, and of the others all but those that changed last.
    pub(crate) fn evict(&mut self, unchanged_since: Option<Timestamp>, keep: u32) {
        let young = |row: &Row| unchanged_since.is_none_or(|since| since <= row.changed_at);
        let all = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        let mut changes: Vec<u64> = all.filter(|row| young(row)).map(|row| row.updated).collect();
        changes.sort_unstable();
        // Updates count from one, so none is before the first when all stay.
        let first = changes.len().checked_sub(keep as usize).and_then(|index| changes.get(index)).copied();
        let first = if changes.len() <= keep as usize { 0 } else { first.unwrap_or(u64::MAX) };
        for fingerprint in &mut self.fingerprints {
            fingerprint.rows.retain(|row| young(row) && first <= row.updated);
        }
        self.fingerprints.retain(|fingerprint| !fingerprint.rows.is_empty());
        self.fingerprints.shrink_to_fit();
        self.filling = false;
        self.find_places();
        self.learn();
    }

    /// How many rows have not changed since a time.
    pub(crate) fn rows_unchanged_since(&self, since: Timestamp) -> usize {
        let all = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        all.filter(|row| row.changed_at < since).count()
    }

    /// Distinct sets of features.
    pub fn fingerprints(&self) -> usize {
        self.fingerprints.len()
    }

    /// Pairs of features and model.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Turns recorded, and those with a score that counts.
    pub fn samples(&self) -> (u64, u64) {
        let models = self.knowledge.models.iter().map(|model| &model.sums);
        models.fold((0, 0), |(samples, scored), sums| {
            (samples + u64::from(sums.samples), scored + u64::from(sums.scored))
        })
    }

    /// The number of a model.
    fn model(&mut self, model: &ModelId) -> u32 {
        let index = self.models.iter().position(|known| known == model).unwrap_or_else(|| {
            self.models.push(model.clone());
            self.models.len() - 1
        });
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// Where the fingerprint of a key is, if there is one.
    fn find(&self, key: Key) -> Option<usize> {
        self.places.find(key, |place| key_at(&self.fingerprints, place)).map(|place| place as usize)
    }

    /// Where the fingerprint of a key is.
    fn place(&mut self, key: Key, features: &Features) -> usize {
        if let Some(place) = self.find(key) {
            return place;
        }
        let place = self.fingerprints.len();
        let packed = self.vocabularies.learn(features);
        let workload = features.workload.as_ref().map_or(0, |name| self.workloads.number(name));
        growth::push(&mut self.fingerprints, Fingerprint::new(key, packed, workload, features));
        self.knowledge.place(&self.space, &self.fingerprints[place]);
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        self.places.add(key, number, |place| key_at(&self.fingerprints, place));
        place
    }

    /// Learns whenever the store has changed an eighth more often than when it learned last, and what is rare and usual
    /// as well whenever the number of changes has doubled: the cost of learning is a constant for each change.
    fn learn_when_due(&mut self) {
        if self.updates < self.learn_at.max(FIRST_LEARNED) {
            return;
        }
        if self.updates.is_power_of_two() {
            self.learn();
        } else {
            self.knowledge.fit(&self.space, &mut self.fingerprints);
        }
        let eighth = (1_u64 << self.updates.max(1).ilog2()) / 8;
        self.learn_at = self.updates + eighth.max(1);
    }

    /// Learns from all rows what is rare and what is usual. Coefficients go on from where they stand: what was right in
    /// the space before is nearly right in this one.
    fn learn(&mut self) {
        self.space = Space::learn(&self.fingerprints);
        // What was known goes first, so that the two are never there at once.
        self.knowledge = Knowledge::default();
        self.knowledge = Knowledge::of(&self.space, &self.fingerprints, self.models.len());
        self.knowledge.fit(&self.space, &mut self.fingerprints);
    }

    fn find_places(&mut self) {
        let fingerprints = &self.fingerprints;
        self.places = Places::of(fingerprints.len(), |place| key_at(fingerprints, place));
        self.rows = fingerprints.iter().map(|fingerprint| fingerprint.rows.len()).sum();
    }
}

fn key_at(fingerprints: &[Fingerprint], place: u32) -> Option<Key> {
    fingerprints.get(place as usize).map(|fingerprint| fingerprint.key)
}

impl Row {
    fn new(model: u32, born: u64) -> Self {
        Self {
            model,
            born,
            updated: born,
            changed_at: Timestamp::default(),
            turn: TurnId::default(),
            sums: Sums::default(),
            coefficient: 0,
        }
    }
}
