//! The JSON representation of a decision, each reason as data and as text.

use contracts::{ChainSlot as _, Decision, ModelId, SessionId, TurnId};
use engine::TurnOutcome;
use router_core::{Banner, chain_json};
use serde::Serialize;
use serde_json::Value;

/// The JSON form of a decision that every command prints with `--json`: turn, model, decision chain and banners.
#[derive(Debug, Serialize)]
pub(crate) struct DecisionView {
    /// The id of the turn.
    turn: TurnId,
    /// The id of its session.
    session: SessionId,
    /// The chosen model; null if no model can serve the turn.
    model: Option<ModelId>,
    /// The name of the slot that decided; null if no model was chosen.
    decided_by: Option<&'static str>,
    /// The evaluated slots in order, each with its result and reason.
    chain: Vec<Value>,
    /// The texts that the user must see without asking.
    banners: Vec<String>,
}

impl DecisionView {
    /// Returns the JSON form of a turn's decision; `None` if the turn is locked to its model, so that nothing was
    /// decided.
    pub(crate) fn of(outcome: &TurnOutcome) -> Option<Self> {
        Some(Self::new(outcome.turn, &outcome.input.session, outcome.decision()?, &outcome.banners))
    }

    /// Builds the JSON form of a decision about a turn of a session.
    pub(crate) fn new(turn: TurnId, session: &SessionId, decision: &Decision, banners: &[Banner]) -> Self {
        Self {
            turn,
            session: session.clone(),
            model: decision.chosen.clone(),
            decided_by: decision.winner().map(|entry| entry.slot.name()),
            chain: chain_json(decision),
            banners: banners.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Returns the name of the rule or slot that decided, for tables; `refused` if no model was chosen.
pub(crate) fn decided_by(decision: &Decision) -> String {
    match decision.winner() {
        None => "refused".to_owned(),
        Some(entry) => match entry.reason.rule() {
            Some(name) => format!("rule \"{name}\""),
            None => entry.slot.name().to_lowercase().replace('_', " "),
        },
    }
}
