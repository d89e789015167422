//! The slot `BUDGET`, which precedes the chain: a spent budget refuses a turn or gives it another model (decision D46).

use contracts::{ChainEntry, Slot, Verdict};

use super::ModelSlots;
use crate::budget::{BudgetState, OnReached};

impl ModelSlots<'_> {
    /// Returns the entry of a spent budget that decides the turn; `None` if there is none. A budget that refuses comes
    /// before those that name a model; otherwise the first of the file counts.
    pub(super) fn spent_budget(&self) -> Option<ChainEntry> {
        let reached: Vec<_> = self
            .policy
            .budgets
            .iter()
            .filter_map(|budget| Some((&budget.on_reached, budget.state(self.turn)?)))
            .filter(|(_, state)| state.is_reached())
            .collect();
        if let Some((_, state)) = reached.iter().find(|(on_reached, _)| matches!(on_reached, OnReached::Refuse)) {
            return Some(refusal(state));
        }
        reached.iter().find_map(|(on_reached, state)| match on_reached {
            OnReached::Use(models) => {
                Some(self.entry_for_candidates(Slot::Budget, &state.name, &models.0, state.reason()))
            }
            OnReached::Refuse | OnReached::Warn => None,
        })
    }
}

/// Creates the entry of a budget that refuses a turn. It has no candidate.
fn refusal(state: &BudgetState) -> ChainEntry {
    let mut entry = ChainEntry::not_applicable(Slot::Budget, state.reason());
    entry.verdict = Verdict::Rejected;
    entry
}
