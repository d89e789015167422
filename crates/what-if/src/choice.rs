//! Decides recorded turns under another policy, and compares the decisions.

use std::collections::BTreeSet;

use contracts::{
    ChainSlot as _, Decision, FailedCandidate, MessageText, ModelId, NanoUsd, Requirement, events::TurnStarted,
};
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

    /// Returns the chosen model; `None` without a decision, or if the policy refuses the turn.
    pub(crate) fn model(&self) -> Option<&ModelId> {
        match self {
            Self::Requested(model) => Some(model),
            _ => self.decision()?.chosen.as_ref(),
        }
    }

    /// Returns the reason why the turn cannot be compared under this policy; `None` if a model was chosen.
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

/// The situation of a turn under a tried policy, as far as it differs from the recorded one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TriedSituation<'a> {
    /// What the policy had already spent beyond the recorded cost on that day by then, in nano-dollars (negative: less).
    pub(crate) extra_spending: i64,
    /// The models that signed thinking of the thread under the policy; empty if none did.
    pub(crate) signers: &'a BTreeSet<ModelId>,
    /// Models that failed in the turn before the first byte of a response.
    pub(crate) failed: &'a [FailedCandidate],
}

/// Decides a recorded turn under `policy`; [`PolicyChoice::TextMissing`] if the policy needs a text that is gone.
pub(crate) fn decide_under<D>(
    point: &DecisionPoint<'_, D>,
    policy: &Policy,
    tried: TriedSituation<'_>,
) -> PolicyChoice {
    let message = match point.message {
        Some(text) => MessageText::Present(text.to_owned()),
        None if policy.reads_text() => return PolicyChoice::TextMissing,
        None => MessageText::Matched(Vec::new()),
    };
    let mut turn = captured_turn(point.started, point.at, message);
    for amount in [&mut turn.spent_today, &mut turn.spending.week, &mut turn.spending.month] {
        *amount = NanoUsd(amount.0.saturating_add_signed(tried.extra_spending));
    }
    if let Some(request) = &mut turn.request
        && request.requires.contains(&Requirement::EarlierThinking)
        && !tried.signers.is_empty()
    {
        request.signed_by.clone_from(tried.signers);
    }
    if !tried.failed.is_empty() {
        turn.failed = tried.failed.to_vec();
        turn.at = point.decided_at;
    }
    let at = turn.at;
    PolicyChoice::Decided(Box::new(point.known.with_views(at, |views| decide(&turn, policy, views)).decision))
}

/// Returns the model that the client requested in a live turn, as the choice of the baseline
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

/// Returns the name of the rule that decided, or else the name of the slot; `REFUSED` without a model.
pub(crate) fn deciding_rule(decision: &Decision) -> String {
    match decision.winner() {
        Some(winner) => winner.reason.rule().unwrap_or_else(|| winner.slot.name()).to_owned(),
        None => "REFUSED".to_owned(),
    }
}
