//! Decides recorded turns again under another policy.

use std::collections::BTreeSet;

use contracts::{
    ChainSlot as _, Decision, FailedCandidate, MessageText, ModelId, Requirement, Turn,
    events::TurnStarted,
    views::{PatternView, Views},
};
use costs::SpendingChange;
use router_core::{Policy, decide};

use crate::walk::DecisionPoint;

/// The choice of a model for a recorded turn under another policy.
#[derive(Debug, Clone)]
pub(crate) enum PolicyChoice {
    /// The decision; its model is `None` if the policy refuses the turn.
    Decided(Box<Decision>),
    /// No decision: the policy has text predicates, and the text of the message is no longer in the log.
    TextMissing,
    /// The model that the client requested.
    Requested(ModelId),
    /// The client requested no known model, with the reason.
    NotRequested(&'static str),
}

impl PolicyChoice {
    /// Returns the decision; `None` if the text was missing.
    pub(crate) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Decided(decision) => Some(decision),
            Self::TextMissing | Self::Requested(_) | Self::NotRequested(_) => None,
        }
    }

    /// Returns the chosen model; `None` if nothing was decided, or if the policy refuses the turn.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        match self {
            Self::Requested(model) => Some(model),
            _ => self.decision()?.chosen.as_ref(),
        }
    }

    /// Returns the reason why the turn cannot be compared under the policy with the name `policy`, as text for the user.
    /// `None` if it can be compared: the policy chose a model, or the choice is that of the client.
    pub(crate) fn refusal(&self, policy: &str) -> Option<String> {
        match self {
            Self::TextMissing => Some(format!("the text of the message is gone, and `{policy}` looks at it")),
            Self::Decided(decision) if decision.chosen.is_none() => {
                Some(format!("`{policy}` has no model that can take it"))
            }
            Self::NotRequested(reason) => Some((*reason).to_owned()),
            Self::Decided(_) | Self::Requested(_) => None,
        }
    }
}

/// The differences between the recorded situation of a turn and its situation under a policy that is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TriedSituation<'a> {
    /// The amounts that the policy had spent by then in addition to the recorded ones; negative if it spent less.
    pub(crate) extra_spending: SpendingChange,
    /// The models that signed thinking of the thread under the policy; empty if none did.
    pub(crate) signers: &'a BTreeSet<ModelId>,
    /// Models that failed in the turn before the first byte of a response.
    pub(crate) failed: &'a [FailedCandidate],
}

/// Decides a recorded turn again under `policy`. Returns [`PolicyChoice::TextMissing`] if the policy matches the text
/// of messages and the log no longer contains the text.
pub(crate) fn decide_under<D>(
    point: &DecisionPoint<'_, D>,
    policy: &Policy,
    tried: TriedSituation<'_>,
) -> PolicyChoice {
    let message = match point.message {
        Some(text) => MessageText::Present(text),
        None if policy.reads_text() => return PolicyChoice::TextMissing,
        None => MessageText::Matched(&[]),
    };
    let mut started = point.started.clone();
    tried.extra_spending.add_to(&mut started.spent_today, &mut started.spending);
    if let Some(request) = &mut started.request
        && request.requires.contains(&Requirement::EarlierThinking)
        && !tried.signers.is_empty()
    {
        request.signed_by.clone_from(tried.signers);
    }
    let at = if tried.failed.is_empty() { point.at } else { point.decided_at };
    let turn =
        Turn { failed: tried.failed, skills: point.skills, wish: point.wish, ..Turn::new(&started, at, message) };
    let decided = point.known.with_views(at, |known| {
        let patterns: &dyn PatternView = point.recorded_patterns.as_ref().map_or(known.patterns, |recorded| recorded);
        decide(&turn, policy, &Views { outages: known.outages, patterns })
    });
    PolicyChoice::Decided(Box::new(decided.decision))
}

/// Returns the model that the client requested for a live turn: the choice of the baseline
/// [`Baseline::Requested`](crate::Baseline::Requested).
pub(crate) fn requested_model(started: &TurnStarted) -> PolicyChoice {
    match started.request.as_ref() {
        Some(request) if request.imported => {
            PolicyChoice::NotRequested("imported: it ran on the model that was asked for")
        }
        Some(request) => match &request.named {
            Some(model) => PolicyChoice::Requested(model.clone()),
            None => PolicyChoice::NotRequested("the client left the choice to turnwise, or asked for an unknown model"),
        },
        None => PolicyChoice::NotRequested("a turn of the command line: no client asked for a model"),
    }
}

/// Returns the name of the rule that chose the model, or else the name of the slot of the decision chain; `REFUSED` if
/// no model was chosen.
pub(crate) fn deciding_rule(decision: &Decision) -> String {
    match decision.winner() {
        Some(winner) => winner.reason.rule().unwrap_or_else(|| winner.slot.name()).to_owned(),
        None => "REFUSED".to_owned(),
    }
}
