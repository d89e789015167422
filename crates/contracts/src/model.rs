//! Models and the registry of those a user has.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{Deserialize, Serialize};

use crate::{ModelId, Prices, Provider, Requirement, Tokenizer, WireApi};

/// How capable, and how dear, a model is (004 §6.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Cheap and quick, for mechanical work.
    Fast,
    /// Capable enough for most coding.
    Balanced,
    /// The most capable.
    Deep,
}

impl Tier {
    /// All tiers, from the cheapest to the most capable.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Balanced, Self::Deep];

    /// Its name in policies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Balanced => "balanced",
            Self::Deep => "deep",
        }
    }

    /// The tier called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a model can take (004 §4.4). The default is what an undeclared model gets: tools, a system
/// prompt, and whatever is said about thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent yes-or-no events about a model")]
pub struct Capabilities {
    /// Images in the prompt.
    pub images: bool,
    /// Tool definitions.
    pub tools: bool,
    /// A system prompt.
    pub system_prompt: bool,
    /// Output forced into a schema.
    pub structured_output: bool,
    /// How hard it is to think, in words: adaptive thinking, an effort, a thinking level. Registries that were written
    /// down before models had this say nothing of it.
    #[serde(default = "taken")]
    pub effort: bool,
    /// How much it is to think, as a number of tokens.
    #[serde(default = "taken")]
    pub thinking_budget: bool,
}

impl Capabilities {
    /// Whether a model takes what a request requires, as far as that is a matter of the model.
    pub const fn takes(self, requirement: Requirement) -> bool {
        match requirement {
            Requirement::Effort => self.effort,
            Requirement::ThinkingBudget => self.thinking_budget,
            _ => true,
        }
    }

    /// Whether a model is told in another API what a request requires. One that takes no effort is not told how hard to
    /// think, and does not think; but Google's of this kind do, and by themselves.
    pub const fn is_told(self, requirement: Requirement, api: WireApi) -> bool {
        match requirement {
            Requirement::NoThinking => self.effort || matches!(api, WireApi::Gemini),
            Requirement::MinimalEffort | Requirement::ExtraHighEffort | Requirement::MaxEffort => self.effort,
            _ => true,
        }
    }
}

/// What a model is taken to take until somebody says otherwise.
const fn taken() -> bool {
    true
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            images: false,
            tools: true,
            system_prompt: true,
            structured_output: false,
            effort: true,
            thinking_budget: true,
        }
    }
}

/// A model as the registry knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// Its id, `provider:model`.
    pub id: ModelId,
    /// Who serves it.
    pub provider: Provider,
    /// Its tier, when it has one.
    pub tier: Option<Tier>,
    /// Other names for it; unique across the registry, compared without regard to case.
    pub aliases: Vec<String>,
    /// The most tokens of input it takes.
    pub context_window: u64,
    /// The most tokens it writes in one answer.
    pub max_output: u64,
    /// What it can take.
    pub capabilities: Capabilities,
    /// Which family of tokenizer counts for it.
    pub tokenizer: Tokenizer,
    /// What it charges; `None` when nobody knows, and then no cost is ever invented.
    pub prices: Option<Prices>,
    /// Whether it may delegate work to other models (004 §6.8).
    pub can_delegate: bool,
    /// Whether the user can reach it (a key, a running server).
    pub configured: bool,
    /// The APIs it is served over, the preferred one first.
    #[serde(default)]
    pub apis: Vec<WireApi>,
}

/// The models a user has, and every name they go by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registry {
    models: BTreeMap<ModelId, ModelSpec>,
    /// Lower-case name to id: aliases, and ids themselves.
    names: BTreeMap<String, ModelId>,
    /// Names under which clients ask for whatever model the policy chooses, in lower case.
    auto_names: BTreeSet<String>,
}

/// Names that stand for no model but for the policy's choice, unless the user's file of models has its own.
pub const AUTO_NAMES: [&str; 2] = ["turnwise", "auto"];

/// A name two models claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("alias `{alias}` belongs to both `{first}` and `{second}`: an alias names one model")]
pub struct RegistryError {
    /// The name.
    pub alias: String,
    /// The model that has it.
    pub first: ModelId,
    /// The model that wants it too.
    pub second: ModelId,
}

impl Registry {
    /// A registry of these models; a later model of the same id replaces an earlier one.
    ///
    /// # Errors
    /// One [`RegistryError`] for every alias that two models claim.
    pub fn new(models: impl IntoIterator<Item = ModelSpec>) -> Result<Self, Vec<RegistryError>> {
        let models: BTreeMap<_, _> = models.into_iter().map(|model| (model.id.clone(), model)).collect();
        let mut names: BTreeMap<String, ModelId> =
            models.keys().map(|id| (id.as_str().to_lowercase(), id.clone())).collect();
        let mut errors = Vec::new();
        for model in models.values() {
            for alias in &model.aliases {
                match names.get(&alias.to_lowercase()) {
                    Some(first) if *first != model.id => errors.push(RegistryError {
                        alias: alias.clone(),
                        first: first.clone(),
                        second: model.id.clone(),
                    }),
                    _ => drop(names.insert(alias.to_lowercase(), model.id.clone())),
                }
            }
        }
        let auto_names = AUTO_NAMES.iter().map(|&name| name.to_owned()).collect();
        if errors.is_empty() { Ok(Self { models, names, auto_names }) } else { Err(errors) }
    }

    /// This registry with other names for the policy's choice.
    #[must_use]
    pub fn with_auto_names(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.auto_names = names.into_iter().map(|name| name.to_lowercase()).collect();
        self
    }

    /// Whether clients that ask for this name ask for whatever the policy chooses.
    pub fn is_auto(&self, name: &str) -> bool {
        self.auto_names.contains(&name.to_lowercase())
    }

    /// The names under which clients ask for whatever model the policy chooses.
    pub fn auto_names(&self) -> impl Iterator<Item = &str> {
        self.auto_names.iter().map(String::as_str)
    }

    /// The model with this id.
    pub fn get(&self, id: &ModelId) -> Option<&ModelSpec> {
        self.models.get(id)
    }

    /// The model that goes by this id or alias, whatever the case of its letters.
    pub fn named(&self, name: &str) -> Option<&ModelSpec> {
        let found = match self.names.get(name) {
            Some(id) => id,
            None => self.names.get(&name.to_lowercase())?,
        };
        self.models.get(found)
    }

    /// All models, by id.
    pub fn iter(&self) -> impl Iterator<Item = &ModelSpec> {
        self.models.values()
    }

    /// Every name a model goes by, ids included, in lower case.
    pub fn names(&self) -> impl Iterator<Item = (&str, &ModelId)> {
        self.names.iter().map(|(name, id)| (name.as_str(), id))
    }

    /// The model to use for a tier when no policy says: the first by id that declares it, of those the user can reach
    /// if there is one.
    pub fn tier(&self, tier: Tier) -> Option<&ModelSpec> {
        let of_tier = || self.iter().filter(|model| model.tier == Some(tier));
        of_tier().find(|model| model.configured).or_else(|| of_tier().next())
    }
}
