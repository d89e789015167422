//! What was spent on the latest day, broken out by model and by role.

use std::collections::BTreeMap;

use contracts::{ModelId, events::CallRole};
use serde::{Deserialize, Serialize};

use crate::Total;

/// The latest UTC day with a call. Earlier days keep only their sums.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LatestDay {
    /// Counted from 1970-01-01.
    pub day: u64,
    /// Its calls, by the model that was paid.
    pub models: BTreeMap<ModelId, Total>,
    /// Its calls, by whose work they were.
    pub roles: BTreeMap<CallRole, Total>,
}

impl LatestDay {
    /// A call of a later day starts anew, and one of an earlier day changes nothing.
    pub(crate) fn billed(&mut self, day: u64, role: CallRole, model: &ModelId, call: &Total) {
        if day < self.day {
            return;
        }
        if self.day < day {
            *self = Self { day, ..Self::default() };
        }
        match self.models.get_mut(model) {
            Some(known) => known.add(call),
            None => drop(self.models.insert(model.clone(), *call)),
        }
        self.roles.entry(role).or_default().add(call);
    }
}
