//! [`Skill`], the metadata of one skill.

use contracts::Tier;
use serde::{Deserialize, Serialize};

/// The metadata of a skill: the front matter of its `SKILL.md` and the section that describes when to use it, without the
/// other instructions (003 Inputs).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// The name by which the skill is loaded, without a leading slash, such as `problem-solving`.
    pub name: String,
    /// The description of what the skill does and when to use it.
    pub description: String,
    /// Phrases that select the skill, from `routing-keywords`, `activation-keywords` and similar keys.
    pub keywords: Vec<String>,
    /// Phrases that rule the skill out, from `routing-negative`.
    pub negative_keywords: Vec<String>,
    /// The section or key that describes when to use the skill; empty if there is none.
    pub when_to_use: String,
    /// Globs of the files that the skill is about, from `routing-paths` or `paths`.
    pub paths: Vec<String>,
    /// Names of technologies that the skill is about, from `routing-tags` or `tags`.
    pub tags: Vec<String>,
    /// The role in a combination of skills, such as `research`; `None` if the skill has none.
    pub role: Option<String>,
    /// The id or an alias of the model that the skill asks for, from `turnwise-model`; `None` if it asks for none.
    #[serde(default)]
    pub model: Option<String>,
    /// The tier of models that the skill asks for, from `turnwise-tier`; `None` if it asks for none.
    #[serde(default)]
    pub tier: Option<Tier>,
    /// Whether only the user loads the skill, by its name (`disable-model-invocation`).
    pub explicit_only: bool,
    /// The length of the whole `SKILL.md` in bytes: its cost in the context of a model.
    pub bytes: u64,
    /// Where the skill was found.
    pub scope: SkillScope,
    /// The path of the `SKILL.md`, relative to the workspace for a skill of the project.
    pub path: String,
    /// The BLAKE3 hash of the `SKILL.md`.
    pub hash: [u8; 32],
}

/// The place where a skill is installed. A skill of the project shadows one of the user with the same name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillScope {
    /// A folder of the workspace, such as `.claude/skills`.
    #[default]
    Project,
    /// A folder in the user's home, such as `~/.claude/skills`.
    User,
    /// A list that a client sent in a request.
    Client,
}
