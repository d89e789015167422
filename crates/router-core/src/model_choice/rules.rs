//! The slot `CONFIGURED_RULES`: the rules of the policy; those of the turn's workspace precede the global ones (004
//! §5.2, decision D1).

use contracts::{Attempt, ChainEntry, Reason, Slot, Turn};

use super::ModelSlots;
use crate::{
    policy::{AuxiliaryCalls, Rule},
    predicate::ConditionInput,
    text_set::{self, Matches},
};

/// The length in bytes of the start of a message that rules search for text.
const MAX_SEARCHED_BYTES: u64 = text_set::MAX_SEARCHED_BYTES as u64;

impl ModelSlots<'_> {
    /// Evaluates the slot `CONFIGURED_RULES`: the first matching rule that has a model which can serve the turn. Every
    /// model that was rejected before, also of earlier rules, is an attempt.
    ///
    /// Rules about the user's text do not apply to an auxiliary call, whose text is the client's, unless the policy
    /// routes auxiliary calls like turns.
    pub(super) fn evaluate_rules(&mut self) -> ChainEntry {
        let slot = Slot::ConfiguredRules;
        let scopes = [self.scope, Some(&self.policy.global)];
        if scopes.iter().flatten().all(|scope| scope.rules.is_empty()) {
            return ChainEntry::not_applicable(slot, Reason::NoRules);
        }
        self.text_matches();
        let is_text_cut = self.policy.reads_text() && MAX_SEARCHED_BYTES < self.turn.started.message_bytes;
        let not_matched = || ChainEntry::not_applicable(slot, Reason::NoRuleMatched { cut: is_text_cut });
        let Some(matches) = &self.text_matches else { return not_matched() };
        let reason = |rule: &Rule| {
            let budget = rule.when.exceeded_budget(condition_input(rule, self.turn, matches));
            Reason::Rule { name: rule.name.clone(), budget, cut: is_text_cut }
        };
        // A title quotes the message that it is for, and would be decided by the rules for that message.
        let is_clients_text =
            self.auxiliary_call().is_some() && self.policy.gateway().auxiliary_calls != AuxiliaryCalls::Route;
        let mut attempts: Vec<(&Rule, Attempt)> = Vec::new();
        for rule in scopes.iter().flatten().flat_map(|scope| scope.rules.candidates(matches)) {
            if !rule.when.holds(condition_input(rule, self.turn, matches)) {
                continue;
            }
            if is_clients_text && rule.when.is_about_users_text() {
                continue;
            }
            let (accepted_model, rejections) = self.try_models(&rule.name, rule.models.iter());
            attempts.extend(rejections.into_iter().map(|attempt| (rule, attempt)));
            if let Some(model) = accepted_model {
                let mut entry = ChainEntry::proposed(slot, model.id.clone(), reason(rule), None);
                entry.attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
                return entry;
            }
        }
        let Some((rule, first_attempt)) = attempts.first() else { return not_matched() };
        let failure = Some(first_attempt.failure.clone());
        let mut entry = ChainEntry::proposed(slot, first_attempt.candidate.clone(), reason(rule), failure);
        entry.attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
        entry
    }
}

/// Returns the data against which the condition of a rule is evaluated. Token limits use the tokenizer of the rule's
/// first model.
fn condition_input<'a>(rule: &Rule, turn: &'a Turn<'a>, matches: &'a Matches) -> ConditionInput<'a> {
    // One condition holds or not for all models of a rule, so token limits count by the first.
    ConditionInput { turn, matches, tokenizer: rule.models.first().tokenizer }
}
