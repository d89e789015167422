//! [`SkillSettings`], the section `skills` of a policy. The defaults are the numbers of the specifications.

use std::collections::{BTreeMap, BTreeSet};

use contracts::Score;
use router_core::{Policy, Problem};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{
    coverage_gaps::GapThresholds,
    deferral::{FailurePatterns, RetrySettings},
    detectors::DetectorThresholds,
    llm::LlmSettings,
    scaling::ScalingThresholds,
    score::ScoringSettings,
    telemetry::TelemetryTargets,
    tree::{DecisionTree, TaskTypeSettings, TaskTypes, TreeRowSettings},
};

/// The settings of skill routing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkillSettings {
    /// The folders of skills: relative to the workspace, absolute, or with `~/`. `None`: those that clients read, and the
    /// installed plugins of Claude Code.
    pub dirs: Option<Vec<String>>,
    /// The Markdown file with the trigger table, relative to the workspace or absolute; `None` if there is no table.
    pub triggers: Option<String>,
    /// The file with labelled requests, relative to the workspace or absolute, from which the intent of the scores is learned:
    /// JSON Lines as `turnwise cases run` reads them. `None` if there is none; fewer than ten requests have no effect.
    pub cases: Option<String>,
    /// The days without a change of its `SKILL.md` after which a skill is not loaded, except by its name (003 No-Skill
    /// Conditions); `None` if age has no effect.
    pub stale_after_days: Option<u32>,
    /// The layers that are switched on (000 §1.2).
    pub layers: SkillLayers,
    /// How keywords are matched.
    pub matching: MatchingSettings,
    /// The difference of two priorities from which the higher one decides (000 §2.3 step 3).
    pub priority_gap: u32,
    /// How several skills are combined (000 §4).
    pub combine: CombineSettings,
    /// The role of each skill that has one, by the name of the skill, such as `{release: coordinator, review: quality}`; none by
    /// default. A role in the metadata of a skill comes first.
    pub roles: BTreeMap<String, String>,
    /// The confidence of each kind of result.
    pub confidence: ConfidenceSettings,
    /// The words of each type of task, for the decision tree.
    pub task_types: TaskTypeSettings,
    /// The rows of the decision tree, in the order of their evaluation.
    pub tree: Vec<TreeRowSettings>,
    /// The thresholds of the scores. `max_initial_skills` also limits the skills that the user or an AGENTS.md names
    /// (003 hard rule 5).
    pub scoring: ScoringSettings,
    /// The activation of skills after a failure.
    pub retry: RetrySettings,
    /// The layer that asks a model.
    pub llm: LlmSettings,
    /// The limits of routing between skills (000 §3).
    pub breaker: BreakerSettings,
    /// The skill that is loaded if no layer decides; `None` if there is none.
    pub fallback: Option<String>,
    /// Other names of skills that a slash command can have, with the name of the skill.
    pub aliases: BTreeMap<String, String>,
    /// The skills that are never loaded, except by their name.
    pub disabled: BTreeSet<String>,
    /// The targets of the telemetry.
    pub telemetry: TelemetryTargets,
    /// The limits of the detectors of anti-patterns.
    pub detectors: DetectorThresholds,
    /// The rates above which the coverage of keywords has a gap.
    pub gaps: GapThresholds,
    /// The thresholds of the scaling roadmap.
    pub scaling: ScalingThresholds,
}

impl SkillSettings {
    /// Reads the block `skills` of a policy. Missing keys have their defaults.
    ///
    /// # Errors
    /// The first [`Problem`] of the block: an unknown key or an invalid value, also in a row of the tree or a pattern.
    pub fn of_policy(policy: &Policy) -> Result<Self, Problem> {
        let Some(section) = policy.skills() else { return Ok(Self::default()) };
        let problem = |message: String| section.problem(&message);
        let settings = Self::deserialize(section.value()).map_err(|error| problem(error.to_string()))?;
        DecisionTree::new(&settings.tree, &TaskTypes::new(&settings.task_types))
            .map_err(|error| problem(error.to_string()))?;
        FailurePatterns::new(&settings.retry).map_err(|error| problem(error.to_string()))?;
        settings.llm.validate(policy).map_err(problem)?;
        Ok(settings)
    }
}

impl Default for SkillSettings {
    fn default() -> Self {
        Self {
            dirs: None,
            triggers: None,
            cases: None,
            stale_after_days: None,
            layers: SkillLayers::default(),
            matching: MatchingSettings::default(),
            priority_gap: 2,
            combine: CombineSettings::default(),
            roles: BTreeMap::new(),
            confidence: ConfidenceSettings::default(),
            task_types: TaskTypeSettings::default(),
            tree: Vec::new(),
            scoring: ScoringSettings::default(),
            retry: RetrySettings::default(),
            llm: LlmSettings::default(),
            breaker: BreakerSettings::default(),
            fallback: None,
            aliases: BTreeMap::new(),
            disabled: BTreeSet::new(),
            telemetry: TelemetryTargets::default(),
            detectors: DetectorThresholds::default(),
            gaps: GapThresholds::default(),
            scaling: ScalingThresholds::default(),
        }
    }
}

/// The layers that can be switched on and off. `EXPLICIT`, `NO_SKILL`, `FALLBACK` and `CLARIFY` are always on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a file")]
pub struct SkillLayers {
    /// The rows of AGENTS.md.
    #[serde(deserialize_with = "deserialize_switch")]
    pub policy: bool,
    /// The keywords.
    #[serde(deserialize_with = "deserialize_switch")]
    pub keyword: bool,
    /// The decision tree.
    #[serde(deserialize_with = "deserialize_switch")]
    pub tree: bool,
    /// The scores.
    #[serde(deserialize_with = "deserialize_switch")]
    pub score: bool,
    /// The question to a model.
    #[serde(deserialize_with = "deserialize_switch")]
    pub llm: bool,
}

/// Deserializes a switch: `true` and `on`, `false` and `off`.
fn deserialize_switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Switch {
        Boolean(bool),
        Word(String),
    }
    match Switch::deserialize(deserializer)? {
        Switch::Boolean(boolean) => Ok(boolean),
        Switch::Word(word) if word == "on" => Ok(true),
        Switch::Word(word) if word == "off" => Ok(false),
        Switch::Word(word) => Err(D::Error::custom(format!("`{word}` is neither on nor off"))),
    }
}

impl Default for SkillLayers {
    fn default() -> Self {
        Self { policy: true, keyword: true, tree: false, score: true, llm: false }
    }
}

/// The part of a request in which a negative keyword has an effect (C-01 in docs/spec).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NegativeScope {
    /// The clause in which it occurs.
    #[default]
    Clause,
    /// The whole request, as 000 §2.3 is written.
    Request,
}

/// How keywords are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatchingSettings {
    /// Where a negative keyword has an effect.
    pub negative_scope: NegativeScope,
    /// Whether a keyword of several words counts as a compound trigger (C-02 in docs/spec).
    pub phrase_specificity: bool,
    /// Whether a keyword behind a word such as `not` does not count (C-15 in docs/spec).
    pub negation_guard: bool,
}

impl Default for MatchingSettings {
    fn default() -> Self {
        Self { negative_scope: NegativeScope::Clause, phrase_specificity: true, negation_guard: true }
    }
}

/// How several skills are combined (000 §4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CombineSettings {
    /// The maximum number of skills, not counting the coordinator.
    pub max: usize,
    /// The roles in the order in which their skills are used. A skill without a role has the role `content`.
    pub order: Vec<String>,
}

/// The role of a skill that plans and coordinates others.
pub(crate) const COORDINATOR: &str = "coordinator";
/// The role of a skill that has no other.
pub(crate) const CONTENT: &str = "content";

impl Default for CombineSettings {
    fn default() -> Self {
        let order = [COORDINATOR, "research", "design", CONTENT, "quality", "presentation"];
        Self { max: 2, order: order.map(str::to_owned).to_vec() }
    }
}

/// The confidence of each kind of result (C-18 in docs/spec).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConfidenceSettings {
    /// The user or an AGENTS.md names the skill.
    #[serde(with = "crate::fraction")]
    pub explicit: Score,
    /// Exactly one skill matches.
    #[serde(with = "crate::fraction")]
    pub single: Score,
    /// A compound trigger or a phrase decides.
    #[serde(with = "crate::fraction")]
    pub compound: Score,
    /// The priority decides.
    #[serde(with = "crate::fraction")]
    pub priority: Score,
    /// Skills of several clauses are combined.
    #[serde(with = "crate::fraction")]
    pub combined: Score,
    /// The best result of a layer that could not decide, or the default skill.
    #[serde(with = "crate::fraction")]
    pub best_effort: Score,
}

impl Default for ConfidenceSettings {
    fn default() -> Self {
        Self {
            explicit: Score::ONE,
            single: Score::ONE,
            compound: Score::ONE,
            priority: Score::ratio(8, 10),
            combined: Score::ratio(8, 10),
            best_effort: Score::ratio(5, 10),
        }
    }
}

/// The rule by which a repeated transition between skills is recognized (000 §3.2, C-24 in docs/spec).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopRule {
    /// No skill or agent is reached twice.
    #[default]
    Agent,
    /// No transition between the same two happens twice.
    Pair,
}

/// The limits of routing between skills and agents (000 §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerSettings {
    /// The maximum number of hops without output.
    pub max_depth: u32,
    /// The rule for repetitions.
    pub loop_rule: LoopRule,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { max_depth: 3, loop_rule: LoopRule::Agent }
    }
}
