//! The reasons and failures of the slots of the skill choice.

use serde::{Deserialize, Serialize};

use super::{
    SkillSlot,
    evidence::{KeywordEvidence, SkillScore, TreeEvidence},
};
use crate::Score;

/// Reason for the verdict of a slot of the skill choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillReason {
    /// The layer is switched off in the policy (000 §1.2).
    Disabled,
    /// The request names no skill.
    NotNamed {
        /// A skill with a similar name, if the request starts with an unknown slash command.
        suggestion: Option<String>,
    },
    /// The request starts with slash commands of known skills.
    SlashCommand {
        /// The named skills beyond the maximum, which are not loaded (003 hard rule 5).
        overflow: Vec<String>,
    },
    /// The request asks in words for skills that it names.
    Named {
        /// The named skills beyond the maximum, which are not loaded (003 hard rule 5).
        overflow: Vec<String>,
    },
    /// The request does not reject skills.
    NotRefused,
    /// The request asks that no skill is loaded.
    Refused {
        /// The words of the request that ask for it, normalized.
        phrase: String,
    },
    /// No row of an AGENTS.md maps the task to a skill.
    NoPolicyRow,
    /// A row of an AGENTS.md maps the task to the skill.
    PolicyRow {
        /// The path of the AGENTS.md, relative to the workspace.
        path: String,
        /// The line of the row, from 1.
        line: u32,
        /// The description of the task in the row.
        task: String,
        /// Skills of rows that match as well, beyond the maximum.
        overflow: Vec<String>,
        /// Whether AGENTS.md files of several directories apply and name different skills.
        disagreement: bool,
    },
    /// The keywords of the skills were searched in the request.
    Keywords(KeywordEvidence),
    /// The decision tree was evaluated.
    Tree(TreeEvidence),
    /// The skills were scored: those with the highest scores, the highest first.
    Scores(Vec<SkillScore>),
    /// The model has not replied yet.
    LlmNotAsked,
    /// The model could not be asked, or its reply is not valid.
    LlmUnavailable {
        /// The cause in a few words, such as `timeout`.
        cause: String,
    },
    /// The model replied.
    LlmReply {
        /// Its confidence.
        confidence: Score,
        /// Its reasoning, shortened.
        reasoning: String,
    },
    /// No earlier layer has a result that can be used, and the policy names no default skill.
    NoFallback,
    /// The result of an earlier layer is used although the layer could not decide, because a layer that could decide is
    /// unavailable (000 §1.3). The decision is degraded.
    BestEffort {
        /// The layer with the result.
        layer: SkillSlot,
        /// The layers that are switched off or unavailable.
        unavailable: Vec<SkillSlot>,
    },
    /// The default skill of the policy is used.
    DefaultSkill,
    /// Nothing in the request indicates a skill.
    NoEvidence,
    /// The request indicates skills, but no layer could decide.
    Unresolved {
        /// The layers with a result that they could not decide.
        layers: Vec<SkillSlot>,
        /// Whether the user can answer questions. If not, nothing is asked.
        interactive: bool,
        /// Whether the user was already asked about this task, so that no second question is asked (003 `can_ask_once`).
        asked_before: bool,
    },
}

/// Reason why the candidate of a slot of the skill choice was rejected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillFailure {
    /// The priorities of two skills differ by less than the required gap (000 §2.3 step 3).
    TooClose {
        /// The difference of their priorities.
        gap: u32,
        /// The required difference.
        required: u32,
    },
    /// More skills match than may be combined (000 §4.1).
    TooMany {
        /// The number of skills that match.
        matched: u32,
        /// The maximum.
        max: u32,
    },
    /// The score is below the threshold of automatic loading (003 Thresholds).
    BelowThreshold {
        /// The score.
        score: u8,
        /// The threshold.
        threshold: u8,
    },
    /// The files of the request indicate another skill than its keywords (000 §1.3).
    ConflictingSignals,
    /// The confidence of the model is below the threshold (000 §2.4).
    LowConfidence {
        /// The confidence.
        confidence: Score,
        /// The threshold.
        threshold: Score,
    },
    /// The model replied that the request is ambiguous.
    CalledAmbiguous,
    /// The model named a skill that the index does not contain.
    UnknownSkill,
    /// The user asked not to use the skill.
    RuledOut,
    /// The policy switches the skill off.
    Disabled,
    /// The skill was not changed for longer than the policy allows (003 No-Skill Conditions).
    Stale {
        /// Days since the last change of its `SKILL.md`.
        days: u32,
    },
    /// The nearest AGENTS.md forbids the skill (003 No-Skill Conditions).
    Forbidden {
        /// The path of the AGENTS.md.
        path: String,
        /// The line of the prohibition, from 1.
        line: u32,
    },
    /// A row of an AGENTS.md requires a skill for safety, so that the request for no skill has no effect (003 hard rule 3).
    RequiredForSafety {
        /// The path of the AGENTS.md.
        path: String,
        /// The line of the row, from 1.
        line: u32,
    },
}

impl SkillFailure {
    /// Returns the name of the failure in records.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TooClose { .. } => "too_close",
            Self::TooMany { .. } => "too_many",
            Self::BelowThreshold { .. } => "below_threshold",
            Self::ConflictingSignals => "conflicting_signals",
            Self::LowConfidence { .. } => "low_confidence",
            Self::CalledAmbiguous => "called_ambiguous",
            Self::UnknownSkill => "unknown_skill",
            Self::RuledOut => "ruled_out",
            Self::Disabled => "disabled",
            Self::Stale { .. } => "stale",
            Self::Forbidden { .. } => "forbidden",
            Self::RequiredForSafety { .. } => "required_for_safety",
        }
    }
}
