//! A policy: what the user wrote, checked and ready to decide by.

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

use contracts::{ModelId, ModelSpec, NanoUsd, Registry, Score, Tier, views::PatternSettings};

use crate::text_set::TextSet;

pub use embedding::EmbeddingEndpoint;
pub use gateway::{AuxiliaryCalls, ClientModel, CountTokens, GatewaySettings};
pub use problem::Problem;
pub(crate) use problem::nearest_names;
pub(crate) use rules::{Rule, Rules};
pub use schema::{SCHEMA, schema_text};

/// What a workspace sets for itself, or the user for everything.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) default: Option<Arc<ModelSpec>>,
    pub(crate) tiers: Option<BTreeMap<Tier, Arc<ModelSpec>>>,
    pub(crate) pattern: Option<PatternSettings>,
    pub(crate) rules: Rules,
}

/// What happens when the model of an explicit choice (slots 1 and 2) is rejected (decision D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnExplicitReject {
    /// The chain goes on, visibly.
    #[default]
    FallThrough,
    /// No model is called.
    Refuse,
}

/// When a suggestion of the pattern store is shown although a rule won (004 §5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disagreement {
    /// Whether it is shown at all.
    pub surface: bool,
    /// The least confidence.
    pub min_confidence: Score,
    /// The fewest samples.
    pub min_sample_size: u64,
}

impl Default for Disagreement {
    fn default() -> Self {
        Self { surface: false, min_confidence: Score(850_000_000), min_sample_size: 20 }
    }
}

/// Whether the log keeps the text of messages (decision D15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordText {
    /// Only a log on the user's own machine.
    #[default]
    Local,
    /// Any log.
    Always,
    /// No log.
    Never,
}

/// A checked policy together with the models it was checked against.
#[derive(Debug)]
pub struct Policy {
    pub(crate) registry: Arc<Registry>,
    pub(crate) global: Scope,
    /// By absolute path without a trailing slash.
    pub(crate) workspaces: BTreeMap<String, Scope>,
    pub(crate) texts: TextSet,
    pub(crate) on_explicit_reject: OnExplicitReject,
    pub(crate) disagreement: Disagreement,
    pub(crate) record_text: RecordText,
    pub(crate) embedding: Option<EmbeddingEndpoint>,
    pub(crate) gateway: GatewaySettings,
}

/// A rule as `rules show` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleView<'a> {
    /// The workspace it belongs to, or `None` for the global rules.
    pub workspace: Option<&'a str>,
    /// Its name, written or made up from its place.
    pub name: &'a str,
    /// Its condition, as one line.
    pub when: String,
    /// The model it proposes.
    pub model: &'a ModelId,
    /// The line of the file it starts on.
    pub line: usize,
}

impl Policy {
    /// Reads and checks a policy. `home` is what `~` in a workspace path stands for.
    ///
    /// An empty file is an empty policy: every turn is then refused unless the message names a model.
    ///
    /// # Errors
    /// Every [`Problem`] of the file, in the order of its lines (004 §5.7, decision D8).
    pub fn load(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Self, Vec<Problem>> {
        load::load(text, registry, home)
    }

    /// The models it was checked against.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// When a suggestion is shown although a rule won.
    pub const fn disagreement(&self) -> &Disagreement {
        &self.disagreement
    }

    /// Whether the log keeps the text of messages.
    pub const fn record_text(&self) -> RecordText {
        self.record_text
    }

    /// What clients of the gateway ask for, and what becomes of it.
    pub const fn gateway(&self) -> &GatewaySettings {
        &self.gateway
    }

    /// Who puts messages into numbers, if anyone.
    pub const fn embedding(&self) -> Option<&EmbeddingEndpoint> {
        self.embedding.as_ref()
    }

    /// Whether any of its rules looks at the text of the message.
    pub fn reads_text(&self) -> bool {
        !self.texts.is_empty()
    }

    /// The default of everything, slot 7.
    pub fn global_default(&self) -> Option<&ModelId> {
        self.global.default.as_ref().map(|model| &model.id)
    }

    /// The daily budgets its rules name, in the order of the rules.
    pub fn budgets(&self) -> Vec<NanoUsd> {
        self.scopes().flat_map(|(_, scope)| scope.rules.iter()).flat_map(|rule| rule.when.budgets()).collect()
    }

    /// All rules in the order in which they are tried: workspaces first, by path.
    pub fn rules(&self) -> impl Iterator<Item = RuleView<'_>> {
        self.scopes().flat_map(move |(workspace, scope)| {
            scope.rules.iter().map(move |rule| RuleView {
                workspace,
                name: &rule.name,
                when: rule.when.describe(&self.texts),
                model: &rule.model.id,
                line: rule.line,
            })
        })
    }

    pub(crate) fn scopes(&self) -> impl Iterator<Item = (Option<&str>, &Scope)> {
        let workspaces = self.workspaces.iter().map(|(path, scope)| (Some(path.as_str()), scope));
        workspaces.chain([(None, &self.global)])
    }

    /// The knobs of learned recommendations that hold in a workspace: its own block, or else the global one (decision D7).
    pub fn pattern_settings(&self, workspace: Option<&str>) -> PatternSettings {
        let own = self.workspace(workspace).and_then(|scope| scope.pattern);
        own.or(self.global.pattern).unwrap_or_default()
    }

    /// The model that takes a turn of a workspace when nothing else decides it.
    pub fn default_model(&self, workspace: Option<&str>) -> Option<&ModelId> {
        let own = self.workspace(workspace).and_then(|scope| scope.default.as_ref());
        own.or(self.global.default.as_ref()).map(|model| &model.id)
    }

    /// The scope of the workspace closest above `path` (decision D7).
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
