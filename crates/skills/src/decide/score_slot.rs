//! The slot `SCORE` (003 Scoring Model).

use std::{borrow::Cow, collections::BTreeMap};

use contracts::{ChainEntry, IntentBasis, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillScore, SkillSlot};

use super::{
    SkillSlots,
    exclusions::{failure, with_excluded},
};
use crate::score::{
    Clarification, Exclusion, IntentValue, NoLoadReason, Probabilities, ScoreInput, ScoreOutcome, ScoredSkill,
    ScoringSettings,
};

impl SkillSlots<'_> {
    /// Evaluates the slot of the scores.
    pub(super) fn score(&mut self) -> ChainEntry<SkillChoice> {
        let exclusions = self.score_exclusions();
        let mut stack = self.router.sources().agents.stack(&self.paths);
        stack.extend(self.request.stack.iter().cloned());
        let (by_skill, load_from) = self.probabilities();
        let probabilities = by_skill.as_deref().map(|by_skill| Probabilities { by_skill, load_from });
        let settings = &self.scoring_settings(load_from.is_some());
        let input = ScoreInput {
            text: self.request.text,
            paths: &self.paths,
            commands: self.request.commands,
            stack: &stack,
            probabilities,
            last_used: self.request.last_used,
            exclusions: (!exclusions.is_empty()).then_some(&exclusions),
            clarification: self.clarification(),
        };
        let decision = self.router.scores().decide(&input, settings);
        let top = decision.ranked.first().map_or(0, |best| best.score);
        let below = SkillFailure::BelowThreshold { score: top, threshold: settings.auto_load };
        let reason = SkillReason::Scores(decision.ranked.iter().map(recorded).collect());
        let entry = match decision.outcome {
            ScoreOutcome::Load(skills) => {
                let outcome = SkillOutcome::Load { skills, coordinated: false };
                ChainEntry::proposed(SkillSlot::Score, outcome, reason, None)
            }
            ScoreOutcome::Ask { top, second } => {
                let skills: Vec<_> = [Some(top.clone()), second].into_iter().flatten().collect();
                self.open.deferrable = Some(top);
                ChainEntry::proposed(SkillSlot::Score, SkillOutcome::Ask { skills }, reason, Some(below))
            }
            ScoreOutcome::Defer { top } => {
                let has_better = self.open.best_effort.is_some() || self.may_reach_llm();
                self.open.deferrable = Some(top.clone());
                let failure = has_better.then_some(below);
                ChainEntry::proposed(SkillSlot::Score, SkillOutcome::Defer { skill: top }, reason, failure)
            }
            ScoreOutcome::NoSkill(cause) => {
                if cause == NoLoadReason::StillAmbiguous {
                    let rivals = decision.ranked.iter().take(2).map(|rival| &rival.name);
                    self.open.add_undecided(SkillSlot::Score, rivals);
                }
                ChainEntry::not_applicable(SkillSlot::Score, reason)
            }
        };
        with_excluded(entry, decision.excluded.into_iter().map(|(skill, exclusion)| (skill, failure(&exclusion))))
    }

    /// Returns the thresholds. Learned probabilities sum to 1 over all skills and their threshold is calibrated for the
    /// first skill, so only one skill is loaded with them.
    fn scoring_settings(&self, is_learned: bool) -> Cow<'_, ScoringSettings> {
        let settings = &self.router.settings().scoring;
        if is_learned {
            Cow::Owned(ScoringSettings { max_initial_skills: 1, ..settings.clone() })
        } else {
            Cow::Borrowed(settings)
        }
    }

    /// Returns the probability of each skill, and the least one with which a skill is loaded: from the request, or else
    /// learned from labelled requests. `None` without either.
    fn probabilities(&self) -> (Option<Cow<'_, BTreeMap<String, u16>>>, Option<u16>) {
        if let Some(given) = self.request.probabilities {
            return (Some(Cow::Borrowed(given)), None);
        }
        let Some(learned) = self.router.learned() else { return (None, None) };
        let ranking = learned.rank(self.request.text);
        // A skill that is less probable than none is not loaded.
        let load_from = learned.load_from().max(ranking.no_skill.saturating_add(1));
        (Some(Cow::Owned(ranking.probabilities())), Some(load_from))
    }

    /// Returns whether the layer behind the scores can still decide.
    const fn may_reach_llm(&self) -> bool {
        self.router.settings().layers.llm
    }

    /// Returns whether a question can be asked for the task.
    const fn clarification(&self) -> Clarification {
        match (self.request.interactive, self.request.asked_before) {
            (true, false) => Clarification::Available,
            (true, true) => Clarification::AlreadyAsked,
            (false, _) => Clarification::NotInteractive,
        }
    }

    /// Returns the skills that are not loaded, for the scores.
    fn score_exclusions(&self) -> BTreeMap<String, Exclusion> {
        let mut exclusions = self.request.exclusions.cloned().unwrap_or_default();
        let disabled = self.router.settings().disabled.iter().chain(&self.mentions.ruled_out);
        exclusions.extend(disabled.map(|skill| (skill.clone(), Exclusion::Disabled)));
        let agents = &self.router.sources().agents;
        let forbidden = agents.has_prohibitions().then(|| self.router.sources().index.skills());
        for skill in forbidden.into_iter().flatten() {
            if let Some((path, line)) = agents.prohibition(&skill.name, &self.paths) {
                let exclusion = Exclusion::ForbiddenByAgentsMd { path: path.to_owned(), line };
                exclusions.entry(skill.name.clone()).or_insert(exclusion);
            }
        }
        exclusions
    }
}

/// Converts a score to the form in which it is recorded.
fn recorded(scored: &ScoredSkill) -> SkillScore {
    let components = scored.components;
    SkillScore {
        skill: scored.name.clone(),
        intent: components.intent,
        intent_basis: match scored.intent {
            IntentValue::Coverage(parts) => IntentBasis::Coverage(parts),
            IntentValue::Probability(parts) => IntentBasis::Probability(parts),
        },
        matched: scored.matched.clone(),
        artifact: components.artifact,
        stack: components.stack,
        risk: components.risk,
        ambiguity: components.ambiguity,
        scope: components.scope,
        total: scored.score,
    }
}
