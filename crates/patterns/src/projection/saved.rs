//! The serialised form of the projection, in which values shared in memory are repeated.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Embeddings, Patterns, RunningTurns};
use crate::{interner::Interner, recorded::RecordedTurns, store::Store};

#[derive(Deserialize)]
pub(super) struct SavedPatterns {
    stores: BTreeMap<String, Store>,
    running: RunningTurns,
    recorded: RecordedTurns,
    embeddings: Embeddings,
}

impl From<SavedPatterns> for Patterns {
    fn from(saved: SavedPatterns) -> Self {
        let SavedPatterns { stores, running, mut recorded, embeddings } = saved;
        let (mut workspaces, mut rubrics) = (Interner::default(), Interner::default());
        for turn in recorded.values_mut() {
            turn.intern(&mut workspaces, &mut rubrics);
        }
        Self { stores, running, recorded, embeddings, workspaces, rubrics }
    }
}
