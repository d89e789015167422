//! A row: the outcomes of one model in turns of one fingerprint.

use contracts::TurnId;
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{fixed::Q20, outcome_sums::OutcomeSums};

/// The outcomes of one model in the turns of one fingerprint, that is, in turns with equal features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// The index of the model in the store's models.
    pub(crate) model: u32,
    /// The store's update counter when the row was created; distinguishes it from an evicted row of the same key.
    pub(crate) created: u64,
    /// The store's update counter when the row last changed.
    pub(crate) updated: u64,
    /// The time of the latest event that changed the row.
    pub(crate) changed_at: Timestamp,
    /// The latest turn of the row.
    pub(crate) turn: TurnId,
    /// The sums over the outcomes of all turns.
    pub(crate) sums: OutcomeSums,
    /// The row's coefficient in the regression of its model.
    pub(crate) coefficient: Q20,
}

impl Row {
    /// Creates a row without turns; `created` is the store's update counter.
    pub(crate) fn new(model: u32, created: u64) -> Self {
        Self {
            model,
            created,
            updated: created,
            changed_at: Timestamp::default(),
            turn: TurnId::default(),
            sums: OutcomeSums::default(),
            coefficient: Q20::ZERO,
        }
    }
}
