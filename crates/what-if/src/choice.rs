//! Decides recorded turns under another policy, and compares the decisions.

use contracts::{ChainSlot as _, Decision, MessageText, ModelId, NanoUsd};
use engine::captured_turn;
use router_core::{Policy, decide};

use crate::walk::DecisionPoint;

/// The result of deciding a recorded turn under a policy.
#[derive(Debug, Clone)]
pub(crate) enum PolicyChoice {
    /// The decision; its model is `None` if the policy refuses the turn.
    Decided(Box<Decision>),
    /// No decision: the policy has text predicates, and the text of the message is no longer in the log.
    TextMissing,
}

impl PolicyChoice {
    /// Returns the decision; `None` if the text was missing.
    pub(crate) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::TextMissing => None,
        }
    }

    /// Returns the chosen model; `None` without a decision, or if the policy refuses the turn.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        self.decision()?.chosen.as_ref()
    }

    /// Returns the reason why the turn cannot be compared under this policy; `None` if a model was chosen.
    pub(crate) fn refusal(&self, policy: &str) -> Option<String> {
        match self {
            Self::TextMissing => Some(format!("the text of the message is gone, and `{policy}` looks at it")),
            Self::Decided(decision) if decision.chosen.is_none() => {
                Some(format!("`{policy}` has no model that can take it"))
            }
            Self::Decided(_) => None,
        }
    }
}

/// Decides a recorded turn under `policy`; [`PolicyChoice::TextMissing`] if the policy needs a text that is gone.
///
/// `extra_spending` is what the policy had already spent beyond the recorded cost on that day, in nano-dollars
/// (negative: less). It is added to the day's spending that the policy's budget sees.
pub(crate) fn decide_under(point: &DecisionPoint<'_>, policy: &Policy, extra_spending: i64) -> PolicyChoice {
    let message = match point.message {
        Some(text) => MessageText::Present(text.to_owned()),
        None if policy.reads_text() => return PolicyChoice::TextMissing,
        None => MessageText::Matched(Vec::new()),
    };
    let mut turn = captured_turn(point.started, point.at, message);
    turn.spent_today = NanoUsd(turn.spent_today.0.saturating_add_signed(extra_spending));
    PolicyChoice::Decided(Box::new(point.known.with_views(point.at, |views| decide(&turn, policy, views)).decision))
}

/// Returns the name of the rule that decided, or else the name of the slot; `REFUSED` without a model.
pub(crate) fn deciding_rule(decision: &Decision) -> String {
    match decision.winner() {
        Some(winner) => winner.reason.rule().unwrap_or_else(|| winner.slot.name()).to_owned(),
        None => "REFUSED".to_owned(),
    }
}
