//! The slot `BUDGET`, which is evaluated before the chain: a spent budget refuses a turn, or selects another model for
//! it (decision D46).

use contracts::{ChainEntry, Slot, Verdict};

use super::ModelSlots;
use crate::budget::{BudgetState, OnReached};

impl ModelSlots<'_> {
    /// Returns the chain entry of the reached budget that decides the turn: the first that refuses turns, otherwise the
    /// first that names models. `None` if there is neither; a budget that only warns never decides.
    pub(super) fn evaluate_spent_budget(&self) -> Option<ChainEntry> {
        let reached_budgets: Vec<_> = self
            .policy
            .budgets
            .iter()
            .filter_map(|budget| Some((&budget.on_reached, budget.state(self.turn)?)))
            .filter(|(_, state)| state.is_reached())
            .collect();
        if let Some((_, state)) = reached_budgets.iter().find(|(on_reached, _)| matches!(on_reached, OnReached::Refuse))
        {
            return Some(refusal(state));
        }
        reached_budgets.iter().find_map(|(on_reached, state)| match on_reached {
            OnReached::Use(models) => {
                Some(self.entry_for_candidates(Slot::Budget, &state.name, &models.0, state.reason()))
            }
            OnReached::Refuse | OnReached::Warn => None,
        })
    }
}

/// Creates the chain entry of a spent budget that refuses the turn. It has no candidate model.
fn refusal(state: &BudgetState) -> ChainEntry {
    let mut entry = ChainEntry::not_applicable(Slot::Budget, state.reason());
    entry.verdict = Verdict::Rejected;
    entry
}
