//! [`ScoreIndex`], the skills of a workspace prepared for scoring, and the scoring of one request.

use std::collections::BTreeMap;

use event_core::Timestamp;

use super::{
    ambiguity::{self, COMPARED, Evidence},
    artifact::Artifacts,
    components::Components,
    decision::{self, Candidate, Clarification, Exclusion, ScoreDecision, ScoredSkill},
    everyday::EverydayWords,
    intent::{IntentValue, Postings, Probabilities, RequestMatches},
    order::{OrderKey, order_key},
    profile::{ProfiledSkill, SkillProfile, all_texts},
    risk::{RiskClasses, RiskWords},
    scope::{GenericWords, scope_penalty},
    settings::ScoringSettings,
    stack::Stack,
    terms::terms_with_words,
    word_table::WordTable,
};
use crate::{index::SkillIndex, skill::Skill};

/// The skills of a workspace, prepared once for the scoring of many requests. Skills that only the user loads
/// ([`crate::Skill::explicit_only`]) are not candidates.
#[derive(Debug, Clone)]
pub struct ScoreIndex {
    /// The skills, of which `positions` are candidates.
    skills: SkillIndex,
    /// The positions of the candidates in the index.
    positions: Vec<usize>,
    /// The profiles of the candidates.
    profiles: Vec<SkillProfile>,
    /// The skills that know each term.
    postings: Postings,
    /// The words of risk classes.
    risk_words: RiskWords,
    /// The words of generic tasks.
    generic_words: GenericWords,
    /// The words that are no evidence by themselves.
    everyday_words: EverydayWords,
}

/// Everything that the scores of one request depend on, except the skills and the settings.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScoreInput<'a> {
    /// The text of the request.
    pub text: &'a str,
    /// Paths of target and changed files, with `/` as separator, relative to the workspace.
    pub paths: &'a [String],
    /// Commands of the task.
    pub commands: &'a [String],
    /// Technologies of the workspace: cells of the Stack table of AGENTS.md, names of manifests.
    pub stack: &'a [String],
    /// The probabilities of the skills, if labelled requests exist; `None` for the lexical definition.
    pub probabilities: Option<Probabilities<'a>>,
    /// The latest use of each skill for the same type of task in this project.
    pub last_used: Option<&'a BTreeMap<String, Timestamp>>,
    /// Skills that are not loaded whatever their score.
    pub exclusions: Option<&'a BTreeMap<String, Exclusion>>,
    /// Whether a question can be asked.
    pub clarification: Clarification,
}

/// A skill with its score for a request, before the best ones are compared.
#[derive(Debug)]
struct Scored<'a> {
    /// The position of the skill among the candidates.
    position: usize,
    /// The skill.
    skill: &'a Skill,
    /// The parts of its score.
    components: Components,
    /// The sum of these parts, from 0 to 100.
    score: u8,
    /// How well the skill fits the words of the request, from which its points for intent follow.
    intent: IntentValue,
    /// The positions of the request's terms that the skill knows; empty until it is one of the best candidates.
    terms: Vec<u32>,
}

/// The number of best candidates that the decision depends on. Only their matching terms are collected.
const MAX_CANDIDATES: usize = 2 * COMPARED;

impl ScoreIndex {
    /// Prepares the skills of an index.
    pub fn new(index: &SkillIndex) -> Self {
        let (mut postings, mut table, mut positions) = (Postings::default(), WordTable::new(), Vec::new());
        for (position, skill) in index.skills().iter().enumerate().filter(|(_, skill)| !skill.explicit_only) {
            postings.add(all_texts(skill), &mut table);
            positions.push(position);
        }
        Self {
            skills: index.clone(),
            profiles: vec![SkillProfile::default(); positions.len()],
            positions,
            postings,
            risk_words: RiskWords::new(),
            generic_words: GenericWords::new(),
            everyday_words: EverydayWords::new(),
        }
    }

    /// Scores the skills for a request and decides by the thresholds. Candidates are the skills with intent points: the
    /// other components together never reach a threshold of the defaults. The best 64 without the ambiguity penalty are
    /// compared.
    pub fn decide(&self, input: &ScoreInput<'_>, settings: &ScoringSettings) -> ScoreDecision {
        // The words of a long text are not needed without skills to compare them with.
        let mut request = if self.postings.is_empty() { Vec::new() } else { terms_with_words(input.text) };
        let is_generic = self.generic_words.remove_from(&mut request);
        let terms = request.iter().map(|(term, _)| term.as_str());
        let matches = self.postings.find(terms, &self.everyday_words, settings.unknown_word_percent);
        let mut scored = self.score(&request, is_generic, &matches, input, settings);
        let excluded = exclude(&mut scored, input, settings);
        keep_best(&mut scored, input);
        for candidate in &mut scored {
            candidate.terms = matches.terms_of(candidate.position);
        }
        let evidence = scored.iter().map(|candidate| Evidence { base: candidate.score, terms: &candidate.terms });
        let penalties = ambiguity::penalties(&evidence.collect::<Vec<_>>(), settings);
        for (candidate, penalty) in scored.iter_mut().zip(penalties) {
            candidate.components.ambiguity = penalty;
            candidate.score = candidate.components.score(settings.redistribute);
        }
        scored.sort_by(|a, b| a.order_key(input).cmp(&b.order_key(input)));
        let candidates: Vec<_> = scored.iter().map(Scored::as_candidate).collect();
        let outcome = decision::decide(&candidates, input.clarification, settings);
        let recorded = scored.iter().take(usize::from(settings.recorded_skills));
        let ranked = recorded.map(|candidate| candidate.to_scored_skill(&request)).collect();
        ScoreDecision { outcome, ranked, excluded }
    }

    /// Returns the skills with intent points, with all components except the ambiguity penalty.
    fn score(
        &self,
        request: &[(String, String)],
        is_generic: bool,
        matches: &RequestMatches<'_>,
        input: &ScoreInput<'_>,
        settings: &ScoringSettings,
    ) -> Vec<Scored<'_>> {
        let artifacts = Artifacts::new(input.paths, input.commands);
        let stack = Stack::new(input.stack);
        let risk = RiskClasses::of(request.iter().map(|(term, _)| term), &self.risk_words);
        let mut scored = Vec::new();
        let candidates = self.positions.iter().filter_map(|position| self.skills.skills().get(*position));
        for (position, (skill, profile)) in candidates.zip(&self.profiles).enumerate() {
            let (intent, points) = if let Some(given) = input.probabilities {
                let intent = given.value(&skill.name);
                (intent, given.points(intent, settings))
            } else {
                let intent = matches.coverage(position);
                (intent, intent.points(settings).min(matches.most_points(position, settings)))
            };
            if points == 0 {
                continue;
            }
            // Few requests are generic: only they need the terms of every candidate.
            let terms = if is_generic { matches.terms_of(position) } else { Vec::new() };
            let profiled = ProfiledSkill { skill, profile };
            let components = Components {
                intent: points,
                artifact: artifacts.points(profiled),
                stack: stack.points(profiled),
                risk: risk.points_of(profiled, &self.risk_words),
                ambiguity: 0,
                scope: scope_penalty(is_generic, terms.len()),
            };
            let score = components.score(settings.redistribute);
            scored.push(Scored { position, skill, components, score, intent, terms });
        }
        scored
    }
}

/// Removes the skills that are not loaded whatever their score. Returns those that reached the lowest threshold.
fn exclude(
    scored: &mut Vec<Scored<'_>>,
    input: &ScoreInput<'_>,
    settings: &ScoringSettings,
) -> Vec<(String, Exclusion)> {
    let mut excluded = Vec::new();
    if let Some(exclusions) = input.exclusions {
        scored.retain(|candidate| {
            let Some(exclusion) = exclusions.get(&candidate.skill.name) else { return true };
            if settings.clarify_or_defer <= candidate.score {
                excluded.push((candidate.skill.name.clone(), exclusion.clone()));
            }
            false
        });
    }
    excluded
}

/// Sorts candidates, best first, and removes all but the best ones.
fn keep_best(scored: &mut Vec<Scored<'_>>, input: &ScoreInput<'_>) {
    if MAX_CANDIDATES < scored.len() {
        scored.select_nth_unstable_by(MAX_CANDIDATES, |a, b| a.order_key(input).cmp(&b.order_key(input)));
        scored.truncate(MAX_CANDIDATES);
    }
    scored.sort_by(|a, b| a.order_key(input).cmp(&b.order_key(input)));
}

impl<'a> Scored<'a> {
    /// Returns the key of the candidate in the order by score and tie-breakers.
    fn order_key(&self, input: &ScoreInput<'_>) -> OrderKey<'a> {
        let name = self.skill.name.as_str();
        let last_used = input.last_used.and_then(|uses| uses.get(name).copied());
        order_key(self.score, &self.components, self.skill.bytes, last_used, name)
    }

    /// Returns the candidate as the thresholds need it.
    fn as_candidate(&self) -> Candidate<'_> {
        let ambiguity = self.components.ambiguity;
        Candidate { name: &self.skill.name, score: self.score, ambiguity, terms: &self.terms }
    }

    /// Returns the candidate as it is recorded. `request` are the terms of the request with their words.
    fn to_scored_skill(&self, request: &[(String, String)]) -> ScoredSkill {
        let words = self.terms.iter().filter_map(|term| request.get(*term as usize));
        ScoredSkill {
            name: self.skill.name.clone(),
            score: self.score,
            components: self.components,
            intent: self.intent,
            matched: words.map(|(_, word)| word.clone()).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
