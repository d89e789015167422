//! The slot `KEYWORD` (000 layer 1).

use contracts::{ChainEntry, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillSlot};

use super::{SkillSlots, exclusions::with_excluded, open_results::BestEffort};
use crate::keyword::{KeywordResult, evaluate_keywords};

impl SkillSlots<'_> {
    /// Evaluates the slot of the keywords.
    pub(super) fn keyword(&mut self) -> ChainEntry<SkillChoice> {
        let settings = self.router.settings();
        let exclusion = |skill: &str| self.exclusion(skill);
        let KeywordResult { evidence, outcome, failure, excluded } =
            evaluate_keywords(self.router.keywords(), &self.text, &self.found, settings, &exclusion);
        let reason = SkillReason::Keywords;
        let entry = match (failure, outcome) {
            (None, Some(outcome)) => ChainEntry::proposed(SkillSlot::Keyword, outcome, reason(evidence), None),
            (None, None) => {
                // Skills that are suppressed are evidence for a question.
                if !evidence.suppressed.is_empty() {
                    let skills = evidence.suppressed.iter().map(|suppressed| &suppressed.skill);
                    self.open.add_undecided(SkillSlot::Keyword, skills);
                }
                ChainEntry::not_applicable(SkillSlot::Keyword, reason(evidence))
            }
            (Some(failure), outcome) => {
                let candidates: Vec<_> = evidence.candidates.iter().map(|candidate| candidate.skill.clone()).collect();
                self.open.best_effort = outcome.clone().map(|outcome| {
                    let ask_first = matches!(failure, SkillFailure::TooMany { .. });
                    BestEffort { layer: SkillSlot::Keyword, outcome, ask_first }
                });
                self.open.add_undecided(SkillSlot::Keyword, candidates.iter());
                let outcome = outcome.unwrap_or(SkillOutcome::Ask { skills: candidates });
                ChainEntry::proposed(SkillSlot::Keyword, outcome, reason(evidence), Some(failure))
            }
        };
        with_excluded(entry, excluded)
    }
}
