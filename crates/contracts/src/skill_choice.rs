//! The skill choice: slots, outcomes, reasons and failures of the decision which skills a request loads (000, 003).

mod evidence;
mod reason;
mod shorten;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::{
    evidence::{
        IntentBasis, KeywordCandidate, KeywordEvidence, KeywordMatch, KeywordOutcome, KeywordResolution,
        PartialCompound, SkillScore, SuppressedMatch, TreeEvidence,
    },
    reason::{SkillFailure, SkillReason},
    shorten::shorten_skill_decision,
};
use crate::{ChainSlot, DecisionKind};

/// A slot of the decision chain for the skills of a request: a layer of skill routing. Slots are evaluated in the order
/// of [`ChainSlot::CHAIN`] (C-46 in docs/spec).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SkillSlot {
    /// The skills that the user names: a slash command, or "use the … skill" (000 layer 0, 003 hard rule 1).
    Explicit,
    /// The user's request to load no skill (003 hard rule 3).
    NoSkill,
    /// The rows of AGENTS.md that map a task to a skill (003 hard rules 2 and 4).
    Policy,
    /// The keywords of the trigger table and of the skills (000 layer 1).
    Keyword,
    /// The decision tree over task type, criticality, prior skill and file types (000 layer 2).
    Tree,
    /// The scores of the skills (003 Scoring Model).
    Score,
    /// The reply of a model that is asked which skill fits (000 layer 3).
    Llm,
    /// The best result of an earlier layer if a later layer is unavailable, or else the default skill of the policy.
    Fallback,
    /// A question to the user, or no skill if nothing indicates one.
    Clarify,
}

impl ChainSlot for SkillSlot {
    const CHAIN: &'static [Self] = &[
        Self::Explicit,
        Self::NoSkill,
        Self::Policy,
        Self::Keyword,
        Self::Tree,
        Self::Score,
        Self::Llm,
        Self::Fallback,
        Self::Clarify,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Explicit => "EXPLICIT",
            Self::NoSkill => "NO_SKILL",
            Self::Policy => "POLICY",
            Self::Keyword => "KEYWORD",
            Self::Tree => "TREE",
            Self::Score => "SCORE",
            Self::Llm => "LLM",
            Self::Fallback => "FALLBACK",
            Self::Clarify => "CLARIFY",
        }
    }
}

impl SkillSlot {
    /// Returns the routing method of a decision that this slot made, as routing records name it (000 §7.1).
    pub const fn method(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::NoSkill => "no_skill",
            Self::Policy => "policy",
            Self::Keyword => "keyword",
            Self::Tree => "decision_tree",
            Self::Score => "score",
            Self::Llm => "llm",
            Self::Fallback => "fallback",
            Self::Clarify => "clarification",
        }
    }

    /// Returns the number of the layer of 000 §1.2 that the slot belongs to, from 0 to 3. The slots that 000 does not have
    /// belong to the layer before which they act: the rows of AGENTS.md to 0, the scores to 2.
    pub const fn layer(self) -> u8 {
        match self {
            Self::Explicit | Self::NoSkill | Self::Policy => 0,
            Self::Keyword => 1,
            Self::Tree | Self::Score => 2,
            Self::Llm | Self::Fallback | Self::Clarify => 3,
        }
    }
}

/// The decision which skills a request loads, as a [`DecisionKind`]. Has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillChoice {}

impl DecisionKind for SkillChoice {
    type Slot = SkillSlot;
    type Candidate = SkillOutcome;
    type Reason = SkillReason;
    type Failure = SkillFailure;
}

/// A result of the skill choice. Skills are named as in the index, without a slash.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillOutcome {
    /// Skills are loaded before the request is served.
    Load {
        /// The skills in the order in which they are used; at least one.
        skills: Vec<String>,
        /// Whether the first skill plans and coordinates the others, which are executed within it (000 §4.1).
        coordinated: bool,
    },
    /// No skill is loaded at first; this one is loaded if the request fails in a way that it covers (003 Deferred).
    Defer {
        /// The skill.
        skill: String,
    },
    /// The user is asked which skill to load.
    Ask {
        /// The skills to choose from, the most likely one first.
        skills: Vec<String>,
    },
    /// No skill is loaded.
    None,
}

impl SkillOutcome {
    /// Creates the outcome that loads one skill.
    pub fn load(skill: &str) -> Self {
        Self::Load { skills: vec![skill.to_owned()], coordinated: false }
    }

    /// Returns the name of the outcome in records: `routed`, `combined`, `deferred`, `clarification` or `no_skill`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Load { skills, .. } if 1 < skills.len() => "combined",
            Self::Load { .. } => "routed",
            Self::Defer { .. } => "deferred",
            Self::Ask { .. } => "clarification",
            Self::None => "no_skill",
        }
    }

    /// Returns the skills that are loaded, in their order; empty unless the outcome is [`SkillOutcome::Load`].
    pub fn loaded(&self) -> &[String] {
        match self {
            Self::Load { skills, .. } => skills,
            Self::Defer { .. } | Self::Ask { .. } | Self::None => &[],
        }
    }

    /// Returns the skills that the outcome names: loaded, deferred or offered.
    pub fn skills(&self) -> &[String] {
        match self {
            Self::Load { skills, .. } | Self::Ask { skills } => skills,
            Self::Defer { skill } => std::slice::from_ref(skill),
            Self::None => &[],
        }
    }
}

/// Formats the outcome in a few words, such as `problem-solving, then nasa-se`.
impl fmt::Display for SkillOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load { skills, coordinated: true } => {
                let (first, others) = skills.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
                write!(f, "{first} coordinates {}", others.join(", then "))
            }
            Self::Load { skills, coordinated: false } => f.write_str(&skills.join(", then ")),
            Self::Defer { skill } => write!(f, "{skill} after a failure"),
            Self::Ask { skills } => write!(f, "ask: {}?", skills.join(" or ")),
            Self::None => f.write_str("no skill"),
        }
    }
}

/// The criticality of a task (000 §1.4). The order is from the lowest to the highest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Criticality {
    /// Routine work.
    #[default]
    C1,
    /// Standard work.
    C2,
    /// Significant work.
    C3,
    /// Critical work, such as a decision about the architecture.
    C4,
}

impl Criticality {
    /// All levels, from the lowest to the highest.
    pub const ALL: [Self; 4] = [Self::C1, Self::C2, Self::C3, Self::C4];

    /// Returns the name of the level, such as `C3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C1 => "C1",
            Self::C2 => "C2",
            Self::C3 => "C3",
            Self::C4 => "C4",
        }
    }

    /// Returns the level with this name, which is compared exactly; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Formats the level as its name.
impl fmt::Display for Criticality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
