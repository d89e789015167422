//! The slot `CONFIGURED_RULES`: the rules of the policy, those of the workspace first (004 §5.2, decision D1).

use contracts::{Attempt, ChainEntry, Reason, Slot, Turn};

use super::ModelSlots;
use crate::{policy::Rule, predicate::Situation, text_set::Matches};

impl ModelSlots<'_> {
    /// Evaluates the slot: the first matching rule whose model can serve the turn. Matching rules before it, whose models
    /// were rejected, become attempts.
    pub(super) fn rules(&mut self) -> ChainEntry {
        let slot = Slot::ConfiguredRules;
        let scopes = [self.scope, Some(&self.policy.global)];
        if scopes.iter().flatten().all(|scope| scope.rules.is_empty()) {
            return ChainEntry::not_applicable(slot, Reason::NoRules);
        }
        self.matches();
        let Some(matches) = &self.matched else { return ChainEntry::not_applicable(slot, Reason::NoRuleMatched) };
        let mut attempts: Vec<(&Rule, Attempt)> = Vec::new();
        for rule in scopes.iter().flatten().flat_map(|scope| scope.rules.candidates(matches)) {
            if !rule.when.holds(situation(rule, self.turn, matches)) {
                continue;
            }
            let Some(failure) = self.rejection(&rule.model) else {
                let mut entry =
                    ChainEntry::proposed(slot, rule.model.id.clone(), reason(rule, self.turn, matches), None);
                entry.attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
                return entry;
            };
            let attempt = Attempt { name: rule.name.clone(), candidate: rule.model.id.clone(), failure };
            attempts.push((rule, attempt));
        }
        let Some((rule, first)) = attempts.first() else {
            return ChainEntry::not_applicable(slot, Reason::NoRuleMatched);
        };
        let reason = reason(rule, self.turn, matches);
        let mut entry = ChainEntry::proposed(slot, first.candidate.clone(), reason, Some(first.failure.clone()));
        entry.attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
        entry
    }
}

fn situation<'a>(rule: &Rule, turn: &'a Turn, matches: &'a Matches) -> Situation<'a> {
    Situation { turn, matches, tokenizer: rule.model.tokenizer }
}

fn reason(rule: &Rule, turn: &Turn, matches: &Matches) -> Reason {
    Reason::Rule { name: rule.name.clone(), budget: rule.when.exceeded_budget(situation(rule, turn, matches)) }
}
