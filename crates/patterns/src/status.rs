//! The views a person reads: a row for every workspace, and within one a row for every model and for every outcome.

use contracts::{ModelId, NanoUsd, Score, TurnId};
use event_core::Timestamp;
use serde::Serialize;

use crate::{Patterns, Store};

/// How much was learned in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkspaceStatus<'a> {
    /// Its path, if the turns had one.
    pub workspace: Option<&'a str>,
    /// Distinct sets of features.
    pub fingerprints: usize,
    /// Pairs of features and model.
    pub rows: usize,
    /// Turns recorded.
    pub samples: u64,
    /// Turns with a score that counts.
    pub scored: u64,
}

impl Patterns {
    /// How much was learned, by workspace.
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

/// What is known about a model in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus<'a> {
    /// The model.
    pub model: &'a ModelId,
    /// Turns it took.
    pub turns: u32,
    /// Turns with a score that counts.
    pub scored: u32,
    /// The mean of those scores.
    pub success: Option<Score>,
    /// The mean of the known costs.
    pub cost: Option<NanoUsd>,
}

/// What was learned from turns of the same features that one model took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowStatus<'a> {
    /// The last of the turns.
    pub turn: TurnId,
    /// The model.
    pub model: &'a ModelId,
    /// Turns.
    pub turns: u32,
    /// Turns with a score that counts.
    pub scored: u32,
    /// The mean of those scores.
    pub success: Option<Score>,
    /// The mean of the known costs.
    pub cost: Option<NanoUsd>,
    /// When it last changed.
    pub changed_at: Timestamp,
}

impl Store {
    /// What is known about every model, by id.
    pub fn model_status(&self) -> Vec<ModelStatus<'_>> {
        let mut models: Vec<_> = self
            .models
            .iter()
            .zip(&self.knowledge.models)
            .map(|(model, known)| {
                let sums = &known.sums;
                let (turns, scored) = (sums.samples, sums.scored);
                ModelStatus { model, turns, scored, success: sums.success(), cost: sums.cost().map(NanoUsd) }
            })
            .collect();
        models.sort_by_key(|status| status.model);
        models
    }

    /// All rows, the one that changed last first.
    pub fn row_status(&self) -> Vec<RowStatus<'_>> {
        let all = self.fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows);
        let mut rows: Vec<_> = all.filter_map(|row| Some((row, self.models.get(row.model as usize)?))).collect();
        rows.sort_by_key(|(row, _)| std::cmp::Reverse(row.updated));
        let status = rows.into_iter().map(|(row, model)| RowStatus {
            turn: row.turn,
            model,
            turns: row.sums.samples,
            scored: row.sums.scored,
            success: row.sums.success(),
            cost: row.sums.cost().map(NanoUsd),
            changed_at: row.changed_at,
        });
        status.collect()
    }
}
