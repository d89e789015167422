//! The policy: the user's routing file, validated and compiled for decisions.

mod budgets;
mod candidates;
mod embedding;
mod fields;
mod gateway;
mod learning;
mod load;
mod paths;
mod predicates;
mod problem;
mod rules;
mod schema;

use std::{collections::BTreeMap, sync::Arc};

use contracts::{ModelId, NanoUsd, Registry, Score, Tier, Turn, views::PatternSettings};

use crate::{
    budget::{Budget, BudgetState},
    text_set::TextSet,
};

pub(crate) use candidates::Candidates;
pub use embedding::EmbeddingEndpoint;
pub use gateway::{AuxiliaryCalls, ClientModel, CountTokens, Fallback, GatewaySettings, LastResort};
pub use predicates::extension_name;
pub use problem::Problem;
pub(crate) use problem::{is_typo_of, nearest_names};
pub(crate) use rules::{Rule, Rules};
pub use schema::{SCHEMA, schema_text};

/// The settings of one workspace, or the global ones.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) default: Option<Candidates>,
    pub(crate) tiers: Option<BTreeMap<Tier, Candidates>>,
    pub(crate) pattern: Option<PatternSettings>,
    pub(crate) rules: Rules,
}

/// What to do if the model of an explicit choice (slots 1 and 2) is rejected (decision D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnExplicitReject {
    /// Continue with the next slot, and report the rejection.
    #[default]
    FallThrough,
    /// Call no model; the turn is refused.
    Refuse,
}

/// When to show a suggestion of the pattern store that a rule outranked (004 §5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// Whether suggestions are shown at all.
    pub surface: bool,
    /// The lowest confidence of a shown suggestion.
    pub min_confidence: Score,
    /// The fewest samples of a shown suggestion.
    pub min_sample_size: u64,
}

impl Default for Disagreement {
    fn default() -> Self {
        Self { surface: false, min_confidence: Score(850_000_000), min_sample_size: 20 }
    }
}

/// Whether the log records the text of messages (decision D15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordText {
    /// Only a log on the user's own machine records it.
    #[default]
    Local,
    /// Every log records it.
    Always,
    /// No log records it.
    Never,
}

/// A valid policy with the models that it was validated against. Decisions read it; loading another file creates
/// another one.
#[derive(Debug)]
pub struct Policy {
    pub(crate) registry: Arc<Registry>,
    pub(crate) global: Scope,
    /// The settings of each workspace by its absolute path without a trailing slash.
    pub(crate) workspaces: BTreeMap<String, Scope>,
    pub(crate) texts: TextSet,
    pub(crate) on_explicit_reject: OnExplicitReject,
    pub(crate) disagreement: Disagreement,
    pub(crate) record_text: RecordText,
    pub(crate) embedding: Option<EmbeddingEndpoint>,
    pub(crate) gateway: GatewaySettings,
    pub(crate) budgets: Vec<Budget>,
}

/// A rule as `turnwise rules show` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleView<'a> {
    /// The absolute path of the workspace that the rule belongs to; `None` for a global rule.
    pub workspace: Option<&'a str>,
    /// The name of the rule, or `rule_` and its index if it has none.
    pub name: &'a str,
    /// The condition of the rule in one line.
    pub when: String,
    /// The models that the rule proposes, in the order in which they are tried; at least one.
    pub models: Vec<&'a ModelId>,
    /// The line of the policy file on which the rule starts, from 1.
    pub line: usize,
}

impl Policy {
    /// Parses and validates a policy file. `home` replaces `~` at the start of workspace paths.
    ///
    /// An empty file is a valid policy that refuses every turn unless its message names a model.
    ///
    /// # Errors
    /// All [`Problem`]s of the file, in the order of its lines (004 §5.7, decision D8).
    pub fn load(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Self, Vec<Problem>> {
        load::load(text, registry, home)
    }

    /// Returns the models that the policy was validated against.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns when to show a suggestion that a rule outranked.
    pub const fn disagreement(&self) -> &Disagreement {
        &self.disagreement
    }

    /// Returns whether the log records the text of messages.
    pub const fn record_text(&self) -> RecordText {
        self.record_text
    }

    /// Returns the settings for requests of the gateway's clients.
    pub const fn gateway(&self) -> &GatewaySettings {
        &self.gateway
    }

    /// Returns the endpoint that computes embeddings of messages; `None` without one.
    pub const fn embedding(&self) -> Option<&EmbeddingEndpoint> {
        self.embedding.as_ref()
    }

    /// Returns whether any rule reads the text of the message.
    pub fn reads_text(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Returns the first global default model, slot 7; `None` without one.
    pub fn global_default(&self) -> Option<&ModelId> {
        self.global_defaults().next()
    }

    /// Returns the global default models in the order in which they are tried.
    pub fn global_defaults(&self) -> impl Iterator<Item = &ModelId> {
        self.global.default.iter().flat_map(Candidates::ids)
    }

    /// Returns the budgets of the block `budgets`, in the order of the file.
    pub fn spending_budgets(&self) -> &[Budget] {
        &self.budgets
    }

    /// Returns what a turn finds of each budget that applies to it, in the order of the file.
    pub fn budget_states(&self, turn: &Turn) -> Vec<BudgetState> {
        self.budgets.iter().filter_map(|budget| budget.state(turn)).collect()
    }

    /// Returns the daily budgets in conditions, in the order of the rules.
    pub fn budgets(&self) -> Vec<NanoUsd> {
        self.scopes().flat_map(|(_, scope)| scope.rules.iter()).flat_map(|rule| rule.when.budgets()).collect()
    }

    /// Returns all rules in the order in which they are evaluated: those of workspaces first, by path.
    pub fn rules(&self) -> impl Iterator<Item = RuleView<'_>> {
        self.scopes().flat_map(move |(workspace, scope)| {
            scope.rules.iter().map(move |rule| RuleView {
                workspace,
                name: &rule.name,
                when: rule.when.describe(&self.texts),
                models: rule.models.ids().collect(),
                line: rule.line,
            })
        })
    }

    pub(crate) fn scopes(&self) -> impl Iterator<Item = (Option<&str>, &Scope)> {
        let workspaces = self.workspaces.iter().map(|(path, scope)| (Some(path.as_str()), scope));
        workspaces.chain([(None, &self.global)])
    }

    /// Returns the settings of the pattern store for a workspace: its own, or else the global ones (decision D7).
    pub fn pattern_settings(&self, workspace: Option<&str>) -> PatternSettings {
        let own = self.workspace(workspace).and_then(|scope| scope.pattern);
        own.or(self.global.pattern).unwrap_or_default()
    }

    /// Returns the model of a workspace for turns that no earlier slot decides: the first of its own default, or else of
    /// the global one.
    pub fn default_model(&self, workspace: Option<&str>) -> Option<&ModelId> {
        let own = self.workspace(workspace).and_then(|scope| scope.default.as_ref());
        own.or(self.global.default.as_ref()).map(|models| &models.first().id)
    }

    /// Returns the settings of the closest workspace at or above `path` (decision D7); `None` if there is none.
    pub(crate) fn workspace(&self, path: Option<&str>) -> Option<&Scope> {
        if self.workspaces.is_empty() {
            return None;
        }
        let resolved = paths::resolve(path?, None)?;
        let mut path = resolved.as_str();
        loop {
            if let Some(scope) = self.workspaces.get(path) {
                return Some(scope);
            }
            path = match path.rfind('/')? {
                0 if path == "/" => return None,
                0 => "/",
                slash => &path[..slash],
            };
        }
    }
}
