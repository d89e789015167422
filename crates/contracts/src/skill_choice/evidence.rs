//! The observations that the layers of the skill choice record: keyword matches, signals of the tree, scores.

use serde::{Deserialize, Serialize};

use super::Criticality;
use crate::Score;

/// The outcome of the keyword layer (000 §2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeywordOutcome {
    /// No keyword occurs, or every match is suppressed by a negative keyword.
    NoMatch,
    /// Exactly one skill matches.
    Clear,
    /// Several skills match.
    Multi,
}

impl KeywordOutcome {
    /// Returns the name of the outcome in records: `no_match`, `clear` or `multi`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoMatch => "no_match",
            Self::Clear => "clear",
            Self::Multi => "multi",
        }
    }
}

/// The step of the keyword layer that decided between the skills that match (000 §2.3, §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeywordResolution {
    /// Only one skill matches.
    Single,
    /// Only one of the skills matches with a compound trigger or a phrase.
    Compound,
    /// The priority of one skill is higher by the required gap.
    Priority,
    /// Different clauses of the request have different skills, which are combined.
    Combined,
    /// More skills match than may be combined.
    Overflow,
    /// The priorities are too close to decide.
    Ambiguous,
}

impl KeywordResolution {
    /// Returns the name of the step in records, such as `priority`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Compound => "compound",
            Self::Priority => "priority",
            Self::Combined => "combined",
            Self::Overflow => "overflow",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// A keyword of a skill that occurs in the request and counts for the skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeywordMatch {
    /// The clause of the request in which the keyword occurs first, from 0.
    pub clause: u32,
    /// The skill.
    pub skill: String,
    /// The keyword as its author wrote it.
    pub keyword: String,
}

/// A keyword that occurs in the request, but does not count because a negative keyword of its skill occurs in the same
/// clause (000 §2.3 step 1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SuppressedMatch {
    /// The clause of the request, from 0.
    pub clause: u32,
    /// The skill.
    pub skill: String,
    /// The keyword as its author wrote it.
    pub keyword: String,
    /// The negative keyword as its author wrote it.
    pub suppressed_by: String,
}

/// A skill that matches at least one clause of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeywordCandidate {
    /// The skill.
    pub skill: String,
    /// The priority in the skill's row of the trigger table; 1 is the highest. `None` if the skill has no row, which is
    /// lower than every priority.
    pub priority: Option<u32>,
    /// The number of its distinct keywords that occur in the request.
    pub matched: u32,
    /// The number of all its keywords.
    pub keywords: u32,
}

/// A compound trigger of which some, but not all required terms occur in the request (000 §1.3).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartialCompound {
    /// The skill.
    pub skill: String,
    /// The compound trigger as its author wrote it.
    pub trigger: String,
}

/// The observations of the keyword layer. Lists are sorted, so that the order of the rows of a table has no effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeywordEvidence {
    /// The outcome of the layer.
    pub outcome: KeywordOutcome,
    /// The step that decided; `None` if no skill matches.
    pub resolution: Option<KeywordResolution>,
    /// The confidence in the result, a fixed number for each step (C-18 in docs/spec).
    pub confidence: Score,
    /// The skills that match, in the order of their priorities.
    pub candidates: Vec<KeywordCandidate>,
    /// The keywords that count, by clause.
    pub matched: Vec<KeywordMatch>,
    /// The keywords that do not count because of a negative keyword.
    pub suppressed: Vec<SuppressedMatch>,
    /// The compound triggers that match in part. Empty if exactly one skill matches.
    pub partial: Vec<PartialCompound>,
    /// The skills that match but were not selected, in the order of their priorities.
    pub secondary: Vec<String>,
    /// The skills that would be combined if more were allowed, in the order in which they would be used.
    pub overflow: Vec<String>,
}

/// The signals that the decision tree reads, and the row that matched (000 §1.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEvidence {
    /// The type of the task, such as `research`, and the word of the request that indicates it; `None` if no word does.
    pub task: Option<(String, String)>,
    /// The criticality of the task; `None` if it is unknown.
    pub criticality: Option<Criticality>,
    /// The skill of the previous request; `None` if there is none.
    pub prior: Option<String>,
    /// The extensions of the files of the request with their dots, sorted.
    pub extensions: Vec<String>,
    /// The row of the tree that matched, from 1; `None` for the implicit last row, which leaves the decision to the next
    /// layer.
    pub row: Option<u32>,
    /// The agent that the row suggests; `None` if it suggests none.
    pub agent: Option<String>,
}

/// The value that the intent points of a skill were computed from, in parts per 10,000 (C-42 in docs/spec).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentBasis {
    /// The weighted share of the words of the request that the skill knows.
    Coverage(u16),
    /// The probability that the skill fits, learned from labelled requests.
    Probability(u16),
}

/// The score of one skill with its components (003 Scoring Model). A component is `None` if the request has no input for
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillScore {
    /// The skill.
    pub skill: String,
    /// The match of request and description, from 0 to 40.
    pub intent: u8,
    /// The value that the intent points were computed from.
    pub intent_basis: IntentBasis,
    /// The words of the request that the skill knows, in the order of the request.
    pub matched: Vec<String>,
    /// The match of files and commands, from 0 to 20.
    pub artifact: Option<u8>,
    /// The match of the technologies of the project, from 0 to 15.
    pub stack: Option<u8>,
    /// The reduction of risk, from 0 to 15.
    pub risk: Option<u8>,
    /// The penalty for a similar skill with a close score, from 0 to 15.
    pub ambiguity: u8,
    /// The penalty for a trivial task, from 0 to 15.
    pub scope: u8,
    /// The score, from 0 to 100.
    pub total: u8,
}
