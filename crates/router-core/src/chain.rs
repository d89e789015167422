//! The chain: seven policies in a fixed order, the first whose model can take the turn wins (004 §4.1).

mod client;
mod delegation;
mod pattern;
mod rules;

use contracts::{
    Decision, Evaluation, Failure, MessageText, ModelId, ModelSpec, Reason, Slot, Turn, Verdict, views::Views,
};

use crate::{
    policy::{OnExplicitReject, Policy, Scope},
    text_set::Matches,
    validate,
};

/// The version of this decider. It changes when the same turn, policy and views may be decided otherwise.
pub const DECIDER_VERSION: u16 = 3;

/// A decision, and what must be kept so that it can be made again without the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The model and its reasons.
    pub decision: Decision,
    /// The text predicates that matched, by number; empty when the rules were not asked (decision D9).
    pub matched: Vec<u16>,
}

/// Decides which model takes a turn. Total: it always answers, and the same input always gives the same answer.
pub fn decide(turn: &Turn, policy: &Policy, views: &Views<'_>) -> Decided {
    let scope = policy.workspace(turn.workspace.as_deref());
    let mut chain = Chain { turn, policy, views, scope, matched: None };
    let mut entries = Vec::with_capacity(Slot::CHAIN.len());
    for slot in Slot::CHAIN {
        let entry = chain.evaluate(slot);
        let ends = entry.verdict == Verdict::Chose || chain.refuses(&entry);
        entries.push(entry);
        if ends {
            break;
        }
    }
    if let Some(deferred) = chain.deferred(&entries) {
        entries.push(deferred);
    }
    let winner = entries.iter().find(|entry| entry.verdict == Verdict::Chose);
    let model = winner.and_then(|entry| entry.candidate.clone());
    let matched = chain.matched.map(|matches| matches.numbers()).unwrap_or_default();
    Decided { decision: Decision { model, chain: entries }, matched }
}

struct Chain<'a> {
    turn: &'a Turn,
    policy: &'a Policy,
    views: &'a Views<'a>,
    /// The workspace's own part of the policy.
    scope: Option<&'a Scope>,
    matched: Option<Matches>,
}

impl Chain<'_> {
    fn evaluate(&mut self, slot: Slot) -> Evaluation {
        match slot {
            Slot::PerMessageOverride => match &self.turn.override_model {
                None => self.client_choice(slot),
                Some(chosen) => self.named(slot, &chosen.model, Reason::Override { alias: chosen.alias.clone() }),
            },
            Slot::ManualSticky => match &self.turn.sticky {
                None => silent(slot, Reason::NoSticky),
                Some(model) => self.named(slot, model, Reason::Sticky),
            },
            Slot::ConfiguredRules => self.rules(),
            Slot::PatternRecommendation => self.pattern(),
            Slot::DelegateRequest => self.delegation(),
            Slot::WorkspaceDefault => self.closest_default(slot),
            Slot::GlobalDefault => match &self.policy.global.default {
                None => silent(slot, Reason::NoGlobalDefault),
                Some(model) => self.unless_it_cannot_be_said(self.proposed(slot, model, Reason::GlobalDefault)),
            },
        }
    }

    /// Whether a rejection ends the chain: an explicit choice under `refuse` (decision D3), or a delegation
    /// whose tiers are exhausted (004 §6.9).
    fn refuses(&self, entry: &Evaluation) -> bool {
        if entry.verdict != Verdict::Rejected {
            return false;
        }
        match entry.slot {
            Slot::PerMessageOverride | Slot::ManualSticky => self.policy.on_explicit_reject == OnExplicitReject::Refuse,
            // What is done beside the conversation may be done by anyone.
            Slot::DelegateRequest => self.auxiliary().is_none(),
            _ => false,
        }
    }

    fn rejection(&self, model: &ModelSpec) -> Option<Failure> {
        validate::rejection(model, self.turn, &self.policy.gateway.adaptable, self.views.outages)
    }

    /// The verdict on a model that is known.
    fn proposed(&self, slot: Slot, model: &ModelSpec, reason: Reason) -> Evaluation {
        judged(slot, model.id.clone(), reason, self.rejection(model))
    }

    /// The verdict on a model that may have left the registry since it was named.
    fn named(&self, slot: Slot, model: &ModelId, reason: Reason) -> Evaluation {
        let failure = match self.policy.registry().get(model) {
            Some(known) => self.rejection(known),
            None => Some(Failure::NotConfigured),
        };
        judged(slot, model.clone(), reason, failure)
    }

    /// Matches of the message, computed once and only when a rule asks.
    fn matches(&mut self) -> &Matches {
        self.matched.get_or_insert_with(|| match &self.turn.message {
            MessageText::Present(text) => self.policy.texts.matches(text),
            MessageText::Matched(numbers) => Matches::from_numbers(numbers),
        })
    }
}

/// A policy with nothing to say.
fn silent(slot: Slot, reason: Reason) -> Evaluation {
    Evaluation { slot, verdict: Verdict::NotApplicable, candidate: None, reason, failure: None, attempts: Vec::new() }
}

/// A policy with a candidate that can take the turn, or cannot.
fn judged(slot: Slot, candidate: ModelId, reason: Reason, failure: Option<Failure>) -> Evaluation {
    let verdict = if failure.is_none() { Verdict::Chose } else { Verdict::Rejected };
    Evaluation { slot, verdict, candidate: Some(candidate), reason, failure, attempts: Vec::new() }
}
