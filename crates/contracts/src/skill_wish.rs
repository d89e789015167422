//! [`SkillWish`], the model that a skill asks for in its metadata.

use serde::{Deserialize, Serialize};

use crate::Tier;

/// The model or the tier of models that a skill asks for in the metadata of its `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillWish {
    /// The name of the skill.
    pub skill: String,
    /// The id or an alias of a model; `None` if the skill names none.
    pub model: Option<String>,
    /// The tier; `None` if the skill names none. It counts only without a model.
    pub tier: Option<Tier>,
}
