//! [`SkillRequest`], the input of a skill choice besides the index and the settings.

use std::collections::BTreeMap;

use contracts::{Criticality, Score};
use event_core::Timestamp;

use crate::score::Exclusion;

/// A request for which skills are chosen.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkillRequest<'a> {
    /// The text that the user wrote.
    pub text: &'a str,
    /// The files of the task, such as edited or attached ones, relative to the workspace.
    pub files: &'a [String],
    /// The commands of the task, such as `npm run db:migrate`.
    pub commands: &'a [String],
    /// The technologies of the workspace, such as the names of manifests. Those of AGENTS.md are known to the router.
    pub stack: &'a [String],
    /// For each skill the probability that it fits, in parts per 10,000; `None` for that which the router learned from
    /// labelled requests, or without those for the words of the skills.
    pub probabilities: Option<&'a BTreeMap<String, u16>>,
    /// The latest use of each skill for the same type of task in this project.
    pub last_used: Option<&'a BTreeMap<String, Timestamp>>,
    /// Skills that are not loaded whatever the layers find, such as stale ones. Only the user can load them by name.
    pub exclusions: Option<&'a BTreeMap<String, Exclusion>>,
    /// The criticality of the task; `None` if it is unknown.
    pub criticality: Option<Criticality>,
    /// The skill of the previous request of the session; `None` if there is none.
    pub prior_skill: Option<&'a str>,
    /// Whether the user can answer a question.
    pub interactive: bool,
    /// Whether the user was already asked about this task.
    pub asked_before: bool,
    /// The reply of the model that was asked which skill fits.
    pub llm: LlmAnswer<'a>,
}

/// The state of the question to a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LlmAnswer<'a> {
    /// The model has not been asked.
    #[default]
    NotAsked,
    /// The model could not be asked, or its reply is not valid; the cause in a few words.
    Unavailable(&'a str),
    /// The model named a skill.
    Skill {
        /// The skill.
        name: &'a str,
        /// Further skills for a combination.
        secondary: &'a [String],
        /// Its confidence.
        confidence: Score,
        /// Its reasoning.
        reasoning: &'a str,
    },
    /// The model replied that the request is ambiguous.
    Ambiguous {
        /// Its confidence.
        confidence: Score,
        /// Its reasoning.
        reasoning: &'a str,
    },
}
