//! What a policy would have chosen.

use contracts::{Decision, Evaluation, MessageText, ModelId, NanoUsd, Reason, Slot};
use engine::captured_turn;
use router_core::{Policy, decide};

use crate::walk::Point;

/// What a policy makes of a turn.
#[derive(Debug, Clone)]
pub(crate) enum Chosen {
    /// A decision, which may be a refusal.
    Decided(Box<Decision>),
    /// The policy looks at the text of messages, and that of this turn is gone.
    TextGone,
}

impl Chosen {
    pub(crate) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::TextGone => None,
        }
    }

    pub(crate) fn model(&self) -> Option<&ModelId> {
        self.decision()?.model.as_ref()
    }

    /// Why nothing can be said about the turn under the policy.
    pub(crate) fn refusal(&self, policy: &str) -> Option<String> {
        match self {
            Self::TextGone => Some(format!("the text of the message is gone, and `{policy}` looks at it")),
            Self::Decided(decision) if decision.model.is_none() => {
                Some(format!("`{policy}` has no model that can take it"))
            }
            Self::Decided(_) => None,
        }
    }
}

/// Decides a recorded turn under a policy that had spent so many nano-dollars more than recorded on that day.
pub(crate) fn choose(point: &Point<'_>, policy: &Policy, spent_more: i64) -> Chosen {
    let message = match point.message {
        Some(text) => MessageText::Present(text.to_owned()),
        None if policy.reads_text() => return Chosen::TextGone,
        None => MessageText::Matched(Vec::new()),
    };
    let mut turn = captured_turn(point.started, point.at, message);
    turn.spent_today = NanoUsd(turn.spent_today.0.saturating_add_signed(spent_more));
    Chosen::Decided(Box::new(point.known.with_views(point.at, |views| decide(&turn, policy, views)).decision))
}

/// The rule that decides, or the place in the chain.
pub(crate) fn rule(decision: &Decision) -> String {
    match decision.winner() {
        Some(Evaluation { reason: Reason::Rule { name, .. }, .. }) => name.clone(),
        Some(winner) => winner.slot.name().to_owned(),
        None => "REFUSED".to_owned(),
    }
}

/// The first policy of the chain that does not say the same in both decisions, when the two choose different models.
pub(crate) fn parted(old: &Decision, new: &Decision) -> Option<Slot> {
    if old.model == new.model {
        return None;
    }
    let says = |entry: &Evaluation| (entry.slot, entry.verdict, entry.candidate.clone());
    let differ = old.chain.iter().zip(&new.chain).find(|(old, new)| says(old) != says(new));
    differ.map(|(_, new)| new.slot).or_else(|| new.winner().map(|winner| winner.slot))
}
