//! A summary of a decision: model, slot, and the reason in one line.

use contracts::{ChainSlot as _, Decision, ModelId, Slot};
use router_core::reason_text;

/// A summary of a routing decision: the model and why it was chosen. The default value is for a turn without a
/// decision.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecisionSummary {
    /// The chosen model; `None` if no model can serve the turn.
    pub(crate) model: Option<ModelId>,
    /// The slot that decided; `None` if no model was chosen.
    pub(crate) slot: Option<Slot>,
    /// The reason on one line: that of the slot, or the name of the slot if its reason is only the model.
    pub(crate) reason: String,
    /// The name of the rule that decided; `None` if another slot did.
    pub(crate) rule: Option<String>,
}

impl From<&Decision> for DecisionSummary {
    fn from(decision: &Decision) -> Self {
        let model = decision.chosen.clone();
        let Some(winner) = decision.winner() else {
            return Self { model, slot: None, reason: "no model can take it".to_owned(), rule: None };
        };
        let reason = reason_text(winner).lines().collect::<Vec<_>>().join(" ");
        // The reason of a default is only its model, which is shown anyway; the name of the slot replaces it.
        let is_model_name = winner.candidate.as_ref().is_some_and(|model| model.as_str() == reason);
        let reason = if is_model_name { winner.slot.name().to_lowercase().replace('_', " ") } else { reason };
        let rule = winner.reason.rule().map(str::to_owned);
        Self { model, slot: Some(winner.slot), reason, rule }
    }
}
