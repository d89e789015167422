//! Fingerprints: groups of turns with equal features, with the outcomes of each model.

mod saved;

use contracts::{Features, TurnId};
use event_core::EventId;
use serde::Deserialize;

use crate::{
    embedding::Embedding,
    levels::{LEVELS, levels_from_parts},
    packed::PackedFeatures,
    row::Row,
    structure::StructureInput,
    token_hashes::{CompactSketch, TokenHashes as _},
};

/// A hash of all features of a turn; the same on every machine.
pub(crate) type FingerprintKey = u128;

/// A group of turns whose features are equal, with the outcomes of each model in these turns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "saved::SavedFingerprint<'static>")]
pub(crate) struct Fingerprint {
    /// The hash of all features, including features that are not stored.
    pub(crate) key: FingerprintKey,
    /// The structural features as bit masks.
    pub(crate) packed: PackedFeatures,
    /// The token hashes of the message.
    pub(crate) sketch: CompactSketch,
    /// The first eight bytes of the hash of the message; `None` if the turn was recorded without an embedder.
    pub(crate) text: Option<u64>,
    /// The embedding of the message; boxed, because most fingerprints have none.
    pub(crate) embedding: Option<Box<Embedding>>,
    /// Whether earlier turns of the session had tool calls.
    tool_history: bool,
    /// The number of the workload in the store's vocabulary, from 1; 0 for none.
    workload: u8,
    /// The number of turns.
    turns: u32,
    /// The turn counted last; `None` before the first.
    last_turn: Option<TurnId>,
    /// The outcomes of each model, ordered by model id.
    pub(crate) rows: Vec<Row>,
}

impl Fingerprint {
    /// Creates the fingerprint of turns with these `features`, without turns, rows and embedding. `packed` and
    /// `workload` are the same features as encoded by the store, `key` their hash.
    pub(crate) fn new(key: FingerprintKey, packed: PackedFeatures, workload: u8, features: &Features) -> Self {
        Self {
            key,
            packed,
            sketch: CompactSketch::from(&features.sketch),
            text: features.text,
            embedding: None,
            tool_history: features.tool_history,
            workload,
            turns: 0,
            last_turn: None,
            rows: Vec::new(),
        }
    }

    /// Returns the structural features of the fingerprint in the form that
    /// [`StructureKernel::encode`](crate::structure::StructureKernel::encode) accepts.
    pub(crate) fn structure_input(&self) -> StructureInput {
        StructureInput { levels: self.levels(), sets: self.packed.masks, workload: self.workload, turns: self.turns }
    }

    /// Computes the levels (ordinal structural features, see [`levels`](crate::levels)) from the shape of the message,
    /// the scalar features and the tool history.
    fn levels(&self) -> [u8; LEVELS] {
        levels_from_parts(self.sketch.shape(), self.packed.scalars, self.tool_history)
    }

    /// Adds a turn to the number of turns. Consecutive calls with the same turn, one for each model that worked on it,
    /// count once.
    pub(crate) fn count_turn(&mut self, turn: TurnId) {
        if self.last_turn.replace(turn) != Some(turn) {
            self.turns = self.turns.saturating_add(1);
        }
    }

    /// Returns the number of turns with these features.
    pub(crate) const fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns the row of a model, given by its index in the store's models; `None` if the model has no row here.
    pub(crate) fn row(&self, model: u32) -> Option<&Row> {
        self.rows.iter().find(|row| row.model == model)
    }

    /// Returns the row of a model for modification; see [`row`](Self::row). `None` if the model has no row here.
    pub(crate) fn row_mut(&mut self, model: u32) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.model == model)
    }
}

/// Computes the key of a fingerprint: a hash of all features of a turn, including those the similarity measure ignores.
/// It is independent of order and duplicates in lists, and the same on every machine.
pub fn fingerprint_key(features: &Features) -> u128 {
    let lists = [&features.extensions, &features.directories, &features.tools].map(|list| {
        let mut list: Vec<&[u8]> = list.iter().map(String::as_bytes).collect();
        list.sort_unstable();
        list.dedup();
        list
    });
    let lengths = lists.each_ref().map(|list| (list.len() as u64).to_le_bytes());
    let effects = features.side_effects.iter().fold(0_u8, |bits, effect| bits | 1 << *effect as u8);
    let scalars =
        [effects, u8::from(features.images), u8::from(features.tool_history), features.tokens.0, features.intents.0];
    let sketch = &features.sketch;
    let hashes: Vec<u8> = sketch.hashes().flat_map(u16::to_le_bytes).collect();
    let counts = [sketch.words.len() as u64, sketch.pairs.len() as u64].map(u64::to_le_bytes).concat();
    let workload = features.workload.as_deref().unwrap_or_default();
    let text = features.text.map(u64::to_le_bytes);
    let mut parts: Vec<&[u8]> = vec![&scalars];
    for (list, length) in lists.iter().zip(&lengths) {
        parts.push(length);
        parts.extend(list);
    }
    let present = [u8::from(features.workload.is_some()), u8::from(text.is_some())];
    parts.extend([&counts, &hashes, &sketch.shape, &present[..], workload.as_bytes()]);
    parts.extend(text.as_ref().map(|text| &text[..]));
    FingerprintKey::from_be_bytes(EventId::derive(&parts).0)
}
