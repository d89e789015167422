//! [`SkillRanking`], the skills that fit a text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The skills that fit a text, with the probability of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillRanking {
    /// The most probable skills, in descending order of probability; of equal ones, by name.
    pub skills: Vec<RankedSkill>,
    /// The probability that no skill fits, in parts per 10,000.
    pub no_skill: u16,
    /// The natural logarithm of the odds of that, in thousandths: finer than the probability where it is near 0 or 1.
    pub no_skill_log_odds: i32,
}

/// A skill with the probability that it is the one for a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankedSkill {
    /// The name of the skill.
    pub name: String,
    /// The probability, in parts per 10,000.
    pub probability: u16,
}

impl SkillRanking {
    /// Returns whether "no skill" is at least as probable as the first skill.
    pub fn needs_none(&self) -> bool {
        self.skills.first().is_none_or(|first| first.probability <= self.no_skill)
    }

    /// Returns the probability of each ranked skill by name, as the `SCORE` layer takes it (C-42).
    pub fn probabilities(&self) -> BTreeMap<String, u16> {
        self.skills.iter().map(|skill| (skill.name.clone(), skill.probability)).collect()
    }
}
