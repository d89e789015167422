//! The serialised form of the projection, in which values shared in memory are repeated.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Embeddings, Patterns, RunningTurns};
use crate::{idle_stores::IdleStores, interner::Interner, recorded::RecordedTurns, store::Store};

/// The serialised fields of [`Patterns`]; the pools of shared values are rebuilt from them.
#[derive(Deserialize)]
pub(super) struct SavedPatterns {
    /// The store of each workspace by path; the key is empty for turns without a workspace.
    stores: BTreeMap<String, Store>,
    /// The turns that have started and not ended.
    running: RunningTurns,
    /// The turns that have ended and can still be evaluated.
    recorded: RecordedTurns,
    /// The embeddings of messages, for later turns with the same message.
    embeddings: Embeddings,
    /// Summaries of the stores that are not in memory.
    idle: IdleStores,
}

impl From<SavedPatterns> for Patterns {
    fn from(saved: SavedPatterns) -> Self {
        let SavedPatterns { stores, running, mut recorded, embeddings, idle } = saved;
        let (mut workspaces, mut rubrics) = (Interner::default(), Interner::default());
        for turn in recorded.values_mut() {
            turn.intern(&mut workspaces, &mut rubrics);
        }
        Self { stores, running, recorded, embeddings, idle, workspaces, rubrics }
    }
}
