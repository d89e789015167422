//! [`LatestDay`], the costs of the latest day with a call, by model and by role.

use std::collections::BTreeMap;

use contracts::{CallRole, ModelId};
use serde::{Deserialize, Serialize};

use crate::CostTotal;

/// Costs of the latest UTC day with a call, by model and by role. For earlier days, [`Costs`](crate::Costs) has only
/// the total of each day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LatestDay {
    /// The day, in days since 1970-01-01.
    pub day: u64,
    /// Totals of its calls, by model.
    pub models: BTreeMap<ModelId, CostTotal>,
    /// Totals of its calls, by role.
    pub roles: BTreeMap<CallRole, CostTotal>,
}

impl LatestDay {
    /// Adds a call that ended on `day`, in days since 1970-01-01. A call of a later day first resets the totals; a call
    /// of an earlier day is ignored.
    pub(crate) fn add_call(&mut self, day: u64, role: CallRole, model: &ModelId, call: &CostTotal) {
        if day < self.day {
            return;
        }
        if self.day < day {
            *self = Self { day, ..Self::default() };
        }
        match self.models.get_mut(model) {
            Some(total) => total.add(call),
            None => drop(self.models.insert(model.clone(), *call)),
        }
        self.roles.entry(role).or_default().add(call);
    }
}
