//! What a decision comes to: who takes the turn, by which policy, and why in one line.

use contracts::{Decision, ModelId, Reason};
use router_core::reason_text;

/// What a decision comes to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chosen {
    pub(crate) model: Option<ModelId>,
    /// The policy of the chain, or nothing when no model can take the turn.
    pub(crate) slot: &'static str,
    pub(crate) reason: String,
    /// The rule that won, if a rule did.
    pub(crate) rule: Option<String>,
}

impl From<&Decision> for Chosen {
    fn from(decision: &Decision) -> Self {
        let model = decision.model.clone();
        let Some(winner) = decision.winner() else {
            return Self { model, slot: "", reason: "no model can take it".to_owned(), rule: None };
        };
        let slot = winner.slot.name();
        let reason = reason_text(winner).lines().collect::<Vec<_>>().join(" ");
        // A default has no more to say than its model, which is named anyway.
        let says_model_alone = winner.candidate.as_ref().is_some_and(|model| model.as_str() == reason);
        let reason = if says_model_alone { slot.to_lowercase().replace('_', " ") } else { reason };
        let rule = match &winner.reason {
            Reason::Rule { name, .. } => Some(name.clone()),
            _ => None,
        };
        Self { model, slot, reason, rule }
    }
}
