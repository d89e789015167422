//! Stores of idle workspaces, which the owner of the projection moves out of memory and back.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{ModelId, events::PatternsCleared};
use event_core::{CodecError, decode_state, encode_state};
use serde::{Deserialize, Serialize};

use crate::{
    capacity::is_event_due,
    outcome_sums::OutcomeSums,
    projection::{PatternEvent, Patterns},
    store::Store,
};

/// The name of a saved store in errors.
const NAME: &str = "patterns of a workspace";

/// Sums over the stores that are not in memory, and the number of clearings by which an outdated saved store is
/// recognised.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct IdleStores {
    /// The number of rows of all stores that are not in memory.
    rows: u64,
    /// The sums over the outcomes of each model in these stores.
    models: BTreeMap<ModelId, OutcomeSums>,
    /// The number of `pattern.cleared` events so far.
    clearings: u64,
    /// The value of `clearings` after the last event that cleared all stores; 0 if there is none.
    all_cleared: u64,
    /// The value of `clearings` after the last event that cleared the store of a workspace, by path.
    cleared: BTreeMap<String, u64>,
}

impl IdleStores {
    /// Folds `pattern.cleared`: stores of its workspaces that were saved before are outdated. The stores that it clears
    /// alone are in memory.
    pub(crate) fn apply_cleared(&mut self, event: &PatternsCleared) {
        self.clearings += 1;
        if event.all {
            (self.rows, self.all_cleared) = (0, self.clearings);
            self.models.clear();
            self.cleared.clear();
        } else {
            self.cleared.insert(event.workspace.clone().unwrap_or_default(), self.clearings);
        }
    }

    /// Returns whether a store that was saved after `clearings` clearings was cleared since.
    fn is_outdated(&self, workspace: &str, clearings: u64) -> bool {
        clearings < self.all_cleared.max(self.cleared.get(workspace).copied().unwrap_or_default())
    }
}

impl Patterns {
    /// Returns the workspaces whose stores are in memory, by path, in ascending order; empty for turns without a
    /// workspace.
    pub fn workspaces(&self) -> impl Iterator<Item = &str> {
        self.stores.keys().map(String::as_str)
    }

    /// Returns the workspaces whose stores are read or changed when an event is folded, as far as the event or the state
    /// names them. `turn.embedded` also changes the stores with a turn of the same message.
    pub fn workspaces_of(&self, event: &PatternEvent<'_>) -> Vec<String> {
        let of_recorded = |turn| self.recorded.get(turn).map(|recorded| recorded.workspace().to_owned());
        let workspace = match event {
            PatternEvent::TurnEnded(ended) => {
                self.running.get(&ended.turn).map(|turn| turn.workspace.clone().unwrap_or_default())
            }
            PatternEvent::EvalCompleted(eval) => of_recorded(&eval.turn),
            PatternEvent::TurnEmbedded(embedded) => of_recorded(&embedded.turn),
            PatternEvent::PatternFilling(event) => Some(event.workspace.clone().unwrap_or_default()),
            PatternEvent::PatternEvicted(event) => Some(event.workspace.clone().unwrap_or_default()),
            PatternEvent::PatternsCleared(event) if !event.all => Some(event.workspace.clone().unwrap_or_default()),
            PatternEvent::PatternsCleared(_)
            | PatternEvent::TurnStarted(_)
            | PatternEvent::LlmCallCompleted(_)
            | PatternEvent::LlmCallFailed(_)
            | PatternEvent::RouteOverridden(_) => None,
        };
        workspace.into_iter().collect()
    }

    /// Returns whether the store of a workspace can leave memory: no event is due that limits its size.
    pub fn can_leave_memory(&self, workspace: &str) -> bool {
        self.stores.get(workspace).is_none_or(|store| !is_event_due(store))
    }

    /// Returns the distinct hashes of the messages in the store of a workspace, for which `turn.embedded` changes it.
    /// Empty without an embedder.
    pub fn texts_of(&self, workspace: &str) -> BTreeSet<u64> {
        let fingerprints = self.stores.get(workspace).into_iter().flat_map(|store| &store.fingerprints);
        fingerprints.filter_map(|fingerprint| fingerprint.text).collect()
    }

    /// Encodes the store of a workspace, so that it can leave memory; `None` if the workspace has none in memory.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the encoded store exceeds 256 MiB.
    pub fn encode_store(&self, workspace: &str) -> Result<Option<Vec<u8>>, CodecError> {
        let Some(store) = self.stores.get(workspace) else { return Ok(None) };
        encode_state(NAME, &(self.idle.clearings, store)).map(Some)
    }

    /// Removes the store of a workspace from memory. [`Patterns::restore_store`] must follow before the next event of
    /// the workspace is folded or its store is read.
    pub fn remove_store(&mut self, workspace: &str) {
        let Some(store) = self.stores.remove(workspace) else { return };
        self.idle.rows += store.rows() as u64;
        for (model, index) in store.models.iter().zip(&store.index.models) {
            self.idle.models.entry(model.clone()).or_default().merge(&index.sums);
        }
    }

    /// Adds a store that was encoded and removed. Does nothing if it was cleared since.
    ///
    /// # Errors
    /// [`CodecError`] if `bytes` is not an encoded store.
    pub fn restore_store(&mut self, workspace: &str, bytes: &[u8]) -> Result<(), CodecError> {
        let (clearings, store): (u64, Store) = decode_state(NAME, bytes)?;
        if self.idle.is_outdated(workspace, clearings) {
            return Ok(());
        }
        self.idle.rows = self.idle.rows.saturating_sub(store.rows() as u64);
        for (model, index) in store.models.iter().zip(&store.index.models) {
            if let Some(sums) = self.idle.models.get_mut(model) {
                sums.subtract(&index.sums);
                if sums.samples == 0 {
                    self.idle.models.remove(model);
                }
            }
        }
        self.stores.insert(workspace.to_owned(), store);
        Ok(())
    }

    /// Returns the number of rows of all stores that are not in memory.
    pub const fn idle_rows(&self) -> u64 {
        self.idle.rows
    }

    /// Returns for each model the number of scored turns in the stores that are not in memory, and the sum of their
    /// scores in billionths. Models without a scored turn there are left out.
    pub fn idle_scores(&self) -> impl Iterator<Item = (&ModelId, u64, u64)> {
        let models = self.idle.models.iter().filter(|(_, sums)| 0 < sums.scored);
        models.map(|(model, sums)| (model, u64::from(sums.scored), sums.score_sum))
    }
}
