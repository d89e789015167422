//! The decision of the SCORE layer from the scored candidates: load, ask, defer or nothing (003 Thresholds).

use serde::{Deserialize, Serialize};

use super::{ambiguity::are_similar, components::Components, intent::IntentValue, settings::ScoringSettings};

/// The score of one skill for one request, with its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredSkill {
    /// The name of the skill.
    pub name: String,
    /// The score, 0 to 100.
    pub score: u8,
    /// The parts of the score.
    pub components: Components,
    /// The value that the intent points were computed from.
    pub intent: IntentValue,
    /// The words of the request that the skill knows, in the order of the request.
    pub matched: Vec<String>,
}

/// Reason why a skill is not loaded whatever its score (003 No-Skill Conditions).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exclusion {
    /// The policy disables the skill.
    Disabled,
    /// The skill was not changed for longer than the policy allows.
    Stale {
        /// Days since the last change of its `SKILL.md`.
        days: u32,
    },
    /// The nearest AGENTS.md forbids the skill.
    ForbiddenByAgentsMd {
        /// The path of the AGENTS.md.
        path: String,
        /// The line of the prohibition, from 1.
        line: u32,
    },
}

/// Whether a question can be asked for the task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clarification {
    /// The client is interactive, and no question was asked for the task.
    Available,
    /// A question was already asked for the task; there is at most one.
    AlreadyAsked,
    /// The client is not interactive.
    #[default]
    NotInteractive,
}

/// Reason why the layer selects no skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoLoadReason {
    /// No skill knows a word of the request.
    NoCandidate,
    /// The best skill is below the lowest threshold.
    BelowThreshold,
    /// The best skills are rivals, and the one question of the task did not resolve that.
    StillAmbiguous,
}

/// The result of the SCORE layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreOutcome {
    /// Loads the skills in this order, at least one.
    Load(Vec<String>),
    /// Asks the user to choose.
    Ask {
        /// The best skill.
        top: String,
        /// The second best; `None` if no other skill is a candidate.
        second: Option<String>,
    },
    /// Loads no skill until a failure, then this one.
    Defer {
        /// The best skill.
        top: String,
    },
    /// Selects no skill.
    NoSkill(NoLoadReason),
}

/// The result of the SCORE layer with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreDecision {
    /// The result.
    pub outcome: ScoreOutcome,
    /// The best candidates, best first; as many as [`ScoringSettings::recorded_skills`].
    pub ranked: Vec<ScoredSkill>,
    /// Skills that reached the lowest threshold and are excluded, by name.
    pub excluded: Vec<(String, Exclusion)>,
}

/// A candidate in the order of the final scores.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The name of the skill.
    pub(super) name: &'a str,
    /// The final score.
    pub(super) score: u8,
    /// The ambiguity penalty in the score.
    pub(super) ambiguity: u8,
    /// The positions of the request's terms that the skill knows, ascending.
    pub(super) terms: &'a [u32],
}

/// Decides by the thresholds. `candidates` are in order, best first.
pub(super) fn decide(
    candidates: &[Candidate<'_>],
    clarification: Clarification,
    settings: &ScoringSettings,
) -> ScoreOutcome {
    let Some(top) = candidates.first() else { return ScoreOutcome::NoSkill(NoLoadReason::NoCandidate) };
    if settings.auto_load <= top.score {
        return ScoreOutcome::Load(loaded(candidates, settings));
    }
    if top.score < settings.clarify_or_defer {
        return ScoreOutcome::NoSkill(NoLoadReason::BelowThreshold);
    }
    match clarification {
        Clarification::Available => {
            let second = candidates.get(1).map(|second| second.name.to_owned());
            ScoreOutcome::Ask { top: top.name.to_owned(), second }
        }
        Clarification::AlreadyAsked if top.ambiguity > 0 => ScoreOutcome::NoSkill(NoLoadReason::StillAmbiguous),
        Clarification::AlreadyAsked | Clarification::NotInteractive => ScoreOutcome::Defer { top: top.name.to_owned() },
    }
}

/// Returns the skills to load: the best one, and others that reach the threshold and have other evidence than each one
/// before, up to the limit.
fn loaded(candidates: &[Candidate<'_>], settings: &ScoringSettings) -> Vec<String> {
    let mut loaded: Vec<&Candidate<'_>> = Vec::new();
    for candidate in candidates.iter().take_while(|candidate| settings.auto_load <= candidate.score) {
        if loaded.len() >= usize::from(settings.max_initial_skills.max(1)) {
            break;
        }
        if !loaded.iter().any(|other| are_similar(other.terms, candidate.terms, settings.similar_percent)) {
            loaded.push(candidate);
        }
    }
    loaded.into_iter().map(|candidate| candidate.name.to_owned()).collect()
}

#[cfg(test)]
mod tests;
