//! The model choice: the decision which model serves a turn. Its chain has eight slots (sources of candidates, such as
//! the rules of the policy); the first model that can serve the turn is chosen (004 §4.1).
//!
//! Each evaluated slot results in an *entry* of the chain: verdict, candidate and reason. An *attempt* of an entry is a
//! candidate that was rejected within the slot before the entry's own candidate. A *deferred* entry records a candidate
//! of a later slot that an earlier slot outranked.

mod budget;
mod client;
mod delegation;
mod explain;
mod key_refused;
mod notice;
mod pattern;
mod rules;
mod skill_wish;
mod turn_stage;

use contracts::{
    Attempt, ChainEntry, Decision, Failure, MessageText, ModelChoice, ModelId, ModelSpec, Reason, Slot, Turn,
    views::Views,
};

pub use key_refused::{key_refused, key_refused_remedy};
pub use notice::{ModelNotice, NoticeContext};
pub use turn_stage::TurnStage;

use crate::{
    chain::{EvaluateSlots, evaluate_chain},
    policy::{ModelCandidates, OnExplicitReject, Policy, PolicyScope},
    text_set::Matches,
    validate,
};

/// Version of the model choice, recorded with each decision. It increases when equal inputs may be decided differently.
pub const DECIDER_VERSION: u16 = 6;

/// A decision, together with the text predicates that matched. These are required to repeat the decision without the
/// text of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// The chosen model and the chain.
    pub decision: Decision,
    /// Indices of the policy's text predicates that matched; empty if the rules were not evaluated (decision D9).
    pub matched: Vec<u16>,
}

/// Decides which model serves a turn. Never fails: the decision has no model if no slot has a model that can serve the
/// turn. Equal inputs result in equal decisions.
pub fn decide(turn: &Turn<'_>, policy: &Policy, views: &Views<'_>) -> Decided {
    let scope = policy.workspace(turn.started.workspace.as_deref());
    let mut slots = ModelSlots { turn, policy, views, scope, text_matches: None };
    // A spent budget decides alone, before every slot of the chain (decision D46).
    let decision = match slots.evaluate_spent_budget() {
        None => evaluate_chain(&mut slots),
        Some(budget) => Decision::from_chain(vec![budget]),
    };
    let matched = slots.text_matches.map(|matches| matches.numbers()).unwrap_or_default();
    Decided { decision, matched }
}

/// The slots of the model choice for one turn, with all data that their evaluation reads.
struct ModelSlots<'a> {
    /// The turn to decide.
    turn: &'a Turn<'a>,
    /// The active policy.
    policy: &'a Policy,
    /// Outages and learned patterns, at one log position.
    views: &'a Views<'a>,
    /// The settings of the turn's workspace; `None` if the policy has no block for it.
    scope: Option<&'a PolicyScope>,
    /// The text predicates that matched the message; `None` until the rules are evaluated.
    text_matches: Option<Matches>,
}

impl EvaluateSlots for ModelSlots<'_> {
    type Kind = ModelChoice;

    /// Returns `false` for the wishes of skills if the policy does not read them.
    fn has_slot(&self, slot: Slot) -> bool {
        slot != Slot::SkillWish || self.policy.skill_wishes
    }

    fn evaluate(&mut self, slot: Slot) -> ChainEntry {
        match slot {
            Slot::PerMessageOverride => match &self.turn.started.override_model {
                None => self.evaluate_client_override(slot),
                Some(model_override) => self.entry_for_id(
                    slot,
                    &model_override.model,
                    Reason::Override { alias: model_override.alias.clone() },
                ),
            },
            Slot::ManualSticky => match &self.turn.started.sticky {
                None => ChainEntry::not_applicable(slot, Reason::NoSticky),
                Some(model) => self.entry_for_id(slot, model, Reason::Sticky),
            },
            Slot::ConfiguredRules => self.evaluate_rules(),
            Slot::SkillWish => self.evaluate_skill_wish(),
            Slot::PatternRecommendation => self.evaluate_pattern(),
            Slot::DelegateRequest => self.evaluate_delegation(),
            Slot::WorkspaceDefault => self.evaluate_workspace_default(slot),
            Slot::GlobalDefault => match &self.policy.global.default {
                None => ChainEntry::not_applicable(slot, Reason::NoGlobalDefault),
                Some(models) => self.entry_for_candidates(slot, "global", models, Reason::GlobalDefault),
            },
            Slot::LastResort => self.evaluate_last_resort(slot),
            Slot::Budget => {
                self.evaluate_spent_budget().unwrap_or_else(|| ChainEntry::not_applicable(slot, Reason::WithinBudgets))
            }
        }
    }

    /// Returns `true`, which ends the chain, for a rejected explicit choice if the policy has `on_explicit_reject:
    /// refuse` (decision D3), and for a delegation that no model of its tier or of a higher one can serve (004 §6.9).
    fn ends_chain(&self, rejected: &ChainEntry) -> bool {
        match rejected.slot {
            Slot::PerMessageOverride | Slot::ManualSticky => self.policy.on_explicit_reject == OnExplicitReject::Refuse,
            // The tier of an auxiliary call is a preference, so any model may serve it.
            Slot::DelegateRequest => self.auxiliary_call().is_none(),
            _ => false,
        }
    }

    /// Returns the deferred entry of the pattern store's recommendation, if an earlier slot was chosen; `None` if there
    /// is no such recommendation.
    fn deferred(&mut self, winner: &ChainEntry) -> Option<ChainEntry> {
        self.deferred_recommendation(winner)
    }
}

impl ModelSlots<'_> {
    /// Returns the reason why a model cannot serve the turn; `None` if it can.
    fn rejection(&self, model: &ModelSpec) -> Option<Failure> {
        validate::rejection(model, self.turn, &self.policy.gateway.adaptable, self.views.outages)
    }

    /// Creates the chain entry of a slot that has several models. The first model that can serve the turn is chosen;
    /// the rejected ones before it are attempts (decision D43). If all are rejected, the entry is rejected with the
    /// first model as its candidate, and all are attempts if there is more than one.
    ///
    /// `source` is the name of the list of models, for the attempts.
    fn entry_for_candidates(&self, slot: Slot, source: &str, models: &ModelCandidates, reason: Reason) -> ChainEntry {
        let (accepted_model, attempts) = self.try_models(source, models.iter());
        let Some(model) = accepted_model else {
            let failure = attempts.first().map(|attempt| attempt.failure.clone());
            let mut entry = ChainEntry::proposed(slot, models.first().id.clone(), reason, failure);
            if 1 < attempts.len() {
                entry.attempts = attempts;
            }
            return entry;
        };
        ChainEntry { attempts, ..ChainEntry::proposed(slot, model.id.clone(), reason, None) }
    }

    /// Tries models in order. Returns the first that can serve the turn (`None` if none can), and an attempt for each
    /// model that was rejected before it.
    ///
    /// `source` is the name of the list of models, for the attempts.
    fn try_models<'c>(
        &self,
        source: &str,
        models: impl Iterator<Item = &'c ModelSpec>,
    ) -> (Option<&'c ModelSpec>, Vec<Attempt>) {
        let mut attempts = Vec::new();
        for model in models {
            let Some(failure) = self.rejection(model) else { return (Some(model), attempts) };
            attempts.push(Attempt { name: source.to_owned(), candidate: model.id.clone(), failure });
        }
        (None, attempts)
    }

    /// Creates the chain entry of a slot that has a single model. The model is chosen, or rejected if it cannot serve
    /// the turn or is no longer in the registry.
    fn entry_for_id(&self, slot: Slot, model: &ModelId, reason: Reason) -> ChainEntry {
        let failure = match self.policy.registry().get(model) {
            Some(model_spec) => self.rejection(model_spec),
            None => Some(Failure::NotConfigured),
        };
        ChainEntry::proposed(slot, model.clone(), reason, failure)
    }

    /// Returns the text predicates that match the message of the turn; computed at most once. If the text was purged,
    /// returns the recorded matches.
    fn text_matches(&mut self) -> &Matches {
        self.text_matches.get_or_insert_with(|| match &self.turn.message {
            MessageText::Present(text) => self.policy.texts.matches(text),
            MessageText::Matched(numbers) => Matches::from_numbers(numbers),
        })
    }
}
