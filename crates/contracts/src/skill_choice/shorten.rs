//! Shortens a skill decision so that it fits into an event: its lists have as many entries as a request has matches.

use event_core::encode_state;

use super::{KeywordEvidence, SkillChoice, SkillOutcome, SkillReason};
use crate::{ChainEntry, Decision};

/// The numbers of entries to which all lists of a decision are cut, in the order in which they are tried.
const LIST_LENGTHS: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];
/// The length in bytes to which the texts of a decision are cut together with its lists.
const MAX_TEXT_BYTES: usize = 160;

/// Returns the decision with its lists cut to the largest length at which its encoding has at most `max_bytes`, and the
/// number of removed entries. A decision that fits is returned unchanged, with 0.
///
/// Equal decisions are cut equally, so that a repeated decision can be compared with a recorded one. The skills that a
/// decision loads are never removed. The result is longer than `max_bytes` if those alone are.
pub fn shorten_skill_decision(decision: Decision<SkillChoice>, max_bytes: usize) -> (Decision<SkillChoice>, u32) {
    let fits = |decision: &Decision<SkillChoice>| {
        encode_state("skill decision", decision).is_ok_and(|bytes| bytes.len() <= max_bytes)
    };
    if fits(&decision) {
        return (decision, 0);
    }
    let mut shortest = (decision.clone(), 0);
    for length in LIST_LENGTHS {
        let mut cut = Cut { length, removed: 0 };
        let mut shortened = decision.clone();
        shortened.chain.iter_mut().for_each(|entry| cut.entry(entry));
        if let Some(chosen) = &mut shortened.chosen {
            // The winner of the chain has the same candidate, whose removed entries are counted there.
            Cut { length, removed: 0 }.outcome(chosen);
        }
        shortest = (shortened, cut.removed);
        if fits(&shortest.0) {
            break;
        }
    }
    shortest
}

/// Cuts the lists and texts of a decision, and counts the removed entries.
struct Cut {
    /// The number of entries that remain of each list.
    length: usize,
    /// The number of entries that were removed.
    removed: u32,
}

impl Cut {
    /// Cuts a list.
    fn list<T>(&mut self, list: &mut Vec<T>) {
        let removed = list.len().saturating_sub(self.length);
        self.removed = self.removed.saturating_add(u32::try_from(removed).unwrap_or(u32::MAX));
        list.truncate(self.length);
    }

    /// Cuts all lists and texts of an entry.
    fn entry(&mut self, entry: &mut ChainEntry<SkillChoice>) {
        self.list(&mut entry.attempts);
        if let Some(candidate) = &mut entry.candidate {
            self.outcome(candidate);
        }
        for attempt in &mut entry.attempts {
            cut_text(&mut attempt.name);
            self.outcome(&mut attempt.candidate);
        }
        self.reason(&mut entry.reason);
    }

    /// Cuts the skills of a question. Those of the other outcomes are few and are not cut.
    fn outcome(&mut self, outcome: &mut SkillOutcome) {
        if let SkillOutcome::Ask { skills } = outcome {
            self.list(skills);
        }
    }

    /// Cuts the lists and texts of a reason.
    fn reason(&mut self, reason: &mut SkillReason) {
        match reason {
            SkillReason::SlashCommand { overflow } | SkillReason::Named { overflow } => self.names(overflow),
            SkillReason::PolicyRow { task, overflow, .. } => {
                cut_text(task);
                self.names(overflow);
            }
            SkillReason::Refused { phrase: text } | SkillReason::LlmReply { reasoning: text, .. } => cut_text(text),
            SkillReason::LlmUnavailable { cause } => cut_text(cause),
            SkillReason::Keywords(evidence) => self.keywords(evidence),
            SkillReason::Scores(scores) => {
                self.list(scores);
                for score in scores {
                    self.names(&mut score.matched);
                }
            }
            SkillReason::Tree(evidence) => self.names(&mut evidence.extensions),
            SkillReason::BestEffort { unavailable: layers, .. } | SkillReason::Unresolved { layers, .. } => {
                self.list(layers);
            }
            SkillReason::Disabled
            | SkillReason::NotNamed { .. }
            | SkillReason::NotRefused
            | SkillReason::NoPolicyRow
            | SkillReason::LlmNotAsked
            | SkillReason::NoFallback
            | SkillReason::DefaultSkill
            | SkillReason::NoEvidence => {}
        }
    }

    /// Cuts the lists of the keyword layer.
    fn keywords(&mut self, evidence: &mut KeywordEvidence) {
        self.list(&mut evidence.candidates);
        self.list(&mut evidence.matched);
        self.list(&mut evidence.suppressed);
        self.list(&mut evidence.partial);
        self.names(&mut evidence.secondary);
        self.names(&mut evidence.overflow);
        evidence.matched.iter_mut().for_each(|found| cut_text(&mut found.keyword));
        for suppressed in &mut evidence.suppressed {
            cut_text(&mut suppressed.keyword);
            cut_text(&mut suppressed.suppressed_by);
        }
        evidence.partial.iter_mut().for_each(|partial| cut_text(&mut partial.trigger));
    }

    /// Cuts a list of names or words, and each of them.
    fn names(&mut self, names: &mut Vec<String>) {
        self.list(names);
        names.iter_mut().for_each(cut_text);
    }
}

/// Cuts a text at a character boundary.
fn cut_text(text: &mut String) {
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
}

#[cfg(test)]
mod tests {
    use super::shorten_skill_decision;
    use crate::{
        ChainEntry, Decision, KeywordCandidate, KeywordEvidence, KeywordMatch, KeywordOutcome, Score, SkillChoice,
        SkillOutcome, SkillReason, SkillSlot,
    };

    /// Creates a decision of the keyword layer with this number of matches and of skills to ask for.
    fn decision(matches: u32) -> Decision<SkillChoice> {
        let skill = |number: u32| format!("skill-{number:04}");
        let keywords = KeywordEvidence {
            outcome: KeywordOutcome::Multi,
            resolution: None,
            confidence: Score::ZERO,
            candidates: (0..matches)
                .map(|number| KeywordCandidate { skill: skill(number), priority: None, matched: 1, keywords: 2 })
                .collect(),
            matched: (0..matches)
                .map(|number| KeywordMatch { clause: 0, skill: skill(number), keyword: "é".repeat(300) })
                .collect(),
            suppressed: Vec::new(),
            partial: Vec::new(),
            secondary: (0..matches).map(skill).collect(),
            overflow: Vec::new(),
        };
        let ask = SkillOutcome::Ask { skills: (0..matches).map(skill).collect() };
        Decision::from_chain(vec![
            ChainEntry::not_applicable(SkillSlot::Keyword, SkillReason::Keywords(keywords)),
            ChainEntry::proposed(SkillSlot::Clarify, ask, SkillReason::NoEvidence, None),
        ])
    }

    /// Returns the encoded length of a decision in bytes.
    fn bytes(decision: &Decision<SkillChoice>) -> usize {
        event_core::encode_state("test", decision).unwrap().len()
    }

    #[test]
    fn a_decision_that_fits_is_unchanged() {
        let small = decision(1);
        assert_eq!(shorten_skill_decision(small.clone(), 3_000), (small, 0));
    }

    #[test]
    fn a_long_decision_is_cut_until_it_fits_and_states_how_much() {
        let (short, removed) = shorten_skill_decision(decision(200), 3_000);
        assert!(bytes(&short) <= 3_000, "{}", bytes(&short));
        let chosen = short.chosen.as_ref().unwrap();
        assert_eq!(chosen.skills().len(), 8);
        assert_eq!(short.winner().unwrap().candidate.as_ref(), Some(chosen));
        // Candidates, matches, secondary skills and the skills of the question, each 200 before.
        assert_eq!(removed, 4 * 192);
        assert_eq!(shorten_skill_decision(decision(200), 3_000), (short, removed), "equal decisions are cut equally");
    }

    #[test]
    fn loaded_skills_are_never_removed() {
        let skills: Vec<String> = (0..200).map(|number| format!("skill-{number}")).collect();
        let load = SkillOutcome::Load { skills: skills.clone(), coordinated: false };
        let slash = SkillReason::SlashCommand { overflow: skills.clone() };
        let decision = Decision::from_chain(vec![ChainEntry::proposed(SkillSlot::Explicit, load, slash, None)]);
        let (short, removed) = shorten_skill_decision(decision, 1_000);
        assert_eq!((short.chosen.unwrap().loaded(), removed), (&skills[..], 199));
    }
}
