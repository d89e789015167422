//! Summaries of the stores for display: by workspace, by model and by row.

use contracts::{ModelId, NanoUsd, Score, TurnId};
use event_core::Timestamp;
use serde::Serialize;

use crate::{Patterns, Store};

/// The number of rows, turns and scores in the store of one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkspaceStatus<'a> {
    /// The path of the workspace; `None` for turns without one.
    pub workspace: Option<&'a str>,
    /// The number of distinct sets of features.
    pub fingerprints: usize,
    /// The number of rows: pairs of features and model.
    pub rows: usize,
    /// The number of recorded turns; a turn counts once for each model that worked on it.
    pub samples: u64,
    /// The number of recorded turns with a score that counts.
    pub scored: u64,
}

impl Patterns {
    /// Returns the size of every store in memory, ordered by the path of the workspace.
    pub fn status(&self) -> impl Iterator<Item = WorkspaceStatus<'_>> {
        self.stores.iter().map(|(workspace, store)| {
            let (samples, scored) = store.samples();
            WorkspaceStatus {
                workspace: Some(workspace.as_str()).filter(|path| !path.is_empty()),
                fingerprints: store.fingerprints(),
                rows: store.rows(),
                samples,
                scored,
            }
        })
    }
}

/// The outcomes of one model in a workspace, summed over all rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus<'a> {
    /// The id of the model.
    pub model: &'a ModelId,
    /// The number of turns.
    pub turns: u32,
    /// The number of turns with a score that counts: one of sufficient confidence.
    pub scored: u32,
    /// The mean of the counted scores; `None` if no score counts.
    pub success: Option<Score>,
    /// The mean of the known costs; `None` if no cost is known.
    pub cost: Option<NanoUsd>,
}

/// The outcomes of one model in turns with equal features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowStatus<'a> {
    /// The latest turn.
    pub turn: TurnId,
    /// The id of the model.
    pub model: &'a ModelId,
    /// The number of turns.
    pub turns: u32,
    /// The number of turns with a score that counts: one of sufficient confidence.
    pub scored: u32,
    /// The mean of the counted scores; `None` if no score counts.
    pub success: Option<Score>,
    /// The mean of the known costs; `None` if no cost is known.
    pub cost: Option<NanoUsd>,
    /// The time of the event that last changed the row.
    pub changed_at: Timestamp,
}

impl Store {
    /// Returns the outcomes of every model, summed over its rows and ordered by model id.
    pub fn model_status(&self) -> Vec<ModelStatus<'_>> {
        let models = self.models.iter().zip(&self.index.models);
        let status = models.map(|(model, index)| ModelStatus {
            model,
            turns: index.sums.samples,
            scored: index.sums.scored,
            success: index.sums.mean_score(),
            cost: index.sums.mean_cost().map(NanoUsd),
        });
        let mut status: Vec<_> = status.collect();
        status.sort_by_key(|status| status.model);
        status
    }

    /// Returns the outcomes in every row, the most recently updated row first.
    pub fn row_status(&self) -> Vec<RowStatus<'_>> {
        let stored_rows = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        let mut rows: Vec<_> =
            stored_rows.filter_map(|row| Some((row, self.models.get(row.model as usize)?))).collect();
        rows.sort_by_key(|(row, _)| std::cmp::Reverse(row.updated));
        let status = rows.into_iter().map(|(row, model)| RowStatus {
            turn: row.turn,
            model,
            turns: row.sums.samples,
            scored: row.sums.scored,
            success: row.sums.mean_score(),
            cost: row.sums.mean_cost().map(NanoUsd),
            changed_at: row.changed_at,
        });
        status.collect()
    }
}
