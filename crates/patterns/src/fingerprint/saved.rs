//! The serialised form of a fingerprint. It has all levels; in memory most of them are derived from other fields.

use std::borrow::Cow;

use contracts::TurnId;
use serde::{Deserialize, Serialize, Serializer};

use super::{Fingerprint, FingerprintKey};
use crate::{
    embedding::Embedding, levels::TOOL_HISTORY, packed::PackedFeatures, row::Row, token_hashes::CompactSketch,
};

/// The serialised fields of a [`Fingerprint`], borrowed for serialisation and owned after deserialisation.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedFingerprint<'a> {
    /// The hash of all features.
    key: FingerprintKey,
    /// The structural features as bit masks.
    packed: PackedFeatures,
    /// The token hashes and the shape of the message.
    sketch: Cow<'a, CompactSketch>,
    /// The first eight bytes of the hash of the message; `None` without an embedder.
    text: Option<u64>,
    /// The embedding of the message, if known.
    embedding: Cow<'a, Option<Box<Embedding>>>,
    /// All levels of the turns; deserialisation reads only the one at [`TOOL_HISTORY`].
    levels: Vec<u8>,
    /// The number of the workload in the store's vocabulary, from 1; 0 for none.
    workload: u8,
    /// The number of turns.
    turns: u32,
    /// The turn counted last; `None` before the first.
    last_turn: Option<TurnId>,
    /// The outcomes of each model, ordered by model id.
    rows: Cow<'a, [Row]>,
}

impl From<SavedFingerprint<'_>> for Fingerprint {
    fn from(saved: SavedFingerprint<'_>) -> Self {
        let tool_history = saved.levels.get(TOOL_HISTORY).is_some_and(|level| *level != 0);
        let mut rows = saved.rows.into_owned();
        // Deserialised vectors have spare capacity.
        rows.shrink_to_fit();
        Self {
            key: saved.key,
            packed: saved.packed,
            sketch: saved.sketch.into_owned(),
            text: saved.text,
            embedding: saved.embedding.into_owned(),
            tool_history,
            workload: saved.workload,
            turns: saved.turns,
            last_turn: saved.last_turn,
            rows,
        }
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = SavedFingerprint {
            key: self.key,
            packed: self.packed.clone(),
            sketch: Cow::Borrowed(&self.sketch),
            text: self.text,
            embedding: Cow::Borrowed(&self.embedding),
            levels: self.levels().to_vec(),
            workload: self.workload,
            turns: self.turns,
            last_turn: self.last_turn,
            rows: Cow::Borrowed(&self.rows),
        };
        saved.serialize(serializer)
    }
}
