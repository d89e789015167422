//! A fingerprint as it is saved: with all its levels, of which it keeps only what the rest does not say.

use std::borrow::Cow;

use contracts::TurnId;
use serde::{Deserialize, Serialize, Serializer};

use super::{Fingerprint, Key};
use crate::{embedding::Embedding, levels::TOOL_HISTORY, packed::Packed, row::Row, said::Kept};

#[derive(Serialize, Deserialize)]
pub(super) struct Saved<'a> {
    key: Key,
    packed: Packed,
    sketch: Cow<'a, Kept>,
    text: Option<u64>,
    embedding: Cow<'a, Option<Box<Embedding>>>,
    levels: Vec<u8>,
    workload: u8,
    turns: u32,
    last: Option<TurnId>,
    rows: Cow<'a, [Row]>,
}

impl From<Saved<'_>> for Fingerprint {
    fn from(saved: Saved<'_>) -> Self {
        let Saved { key, packed, sketch, text, embedding, levels, workload, turns, last, rows } = saved;
        let tool_history = levels.get(TOOL_HISTORY).is_some_and(|level| *level != 0);
        let (sketch, embedding, mut rows) = (sketch.into_owned(), embedding.into_owned(), rows.into_owned());
        // They are read into room for more.
        rows.shrink_to_fit();
        Self { key, packed, sketch, text, embedding, tool_history, workload, turns, last, rows }
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { key, packed, sketch, text, embedding, workload, turns, last, rows, .. } = self;
        let saved = Saved {
            key: *key,
            packed: packed.clone(),
            sketch: Cow::Borrowed(sketch),
            text: *text,
            embedding: Cow::Borrowed(embedding),
            levels: self.levels().to_vec(),
            workload: *workload,
            turns: *turns,
            last: *last,
            rows: Cow::Borrowed(rows),
        };
        saved.serialize(serializer)
    }
}
