//! The slot `CONFIGURED_RULES`: the rules of the policy, those of the workspace first (004 §5.2, decision D1).

use contracts::{Attempt, ChainEntry, Reason, Slot, Turn};

use super::ModelSlots;
use crate::{policy::Rule, predicate::Situation, text_set::Matches};

impl ModelSlots<'_> {
    /// Evaluates the slot: the first matching rule with a model that can serve the turn. Every model that was rejected before
    /// is an attempt.
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
            let (chosen, rejected) = self.try_candidates(&rule.name, &rule.models);
            attempts.extend(rejected.into_iter().map(|attempt| (rule, attempt)));
            if let Some(model) = chosen {
                let mut entry = ChainEntry::proposed(slot, model.id.clone(), reason(rule, self.turn, matches), None);
                entry.attempts = attempts.into_iter().map(|(_, attempt)| attempt).collect();
                return entry;
            }
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
    // One condition holds or not for all models of a rule, so token limits count by the first.
    Situation { turn, matches, tokenizer: rule.models.first().tokenizer }
}

fn reason(rule: &Rule, turn: &Turn, matches: &Matches) -> Reason {
    Reason::Rule { name: rule.name.clone(), budget: rule.when.exceeded_budget(situation(rule, turn, matches)) }
}
