//! The policy: the user's file `routing.yaml`, validated and compiled for decisions.

mod budgets;
mod candidates;
mod embedding;
mod fields;
mod gateway;
mod key;
mod keys;
mod learning;
mod load;
mod paths;
mod predicates;
mod problem;
mod rules;
mod schema;
mod section;
mod text_cost;

use std::{collections::BTreeMap, sync::Arc};

use contracts::{ClientRequest, ModelId, NanoUsd, Registry, Score, Tier, Turn, views::PatternSettings};

use crate::{
    budget::{Budget, BudgetState},
    text_set::TextSet,
};

pub(crate) use candidates::ModelCandidates;
pub use embedding::EmbeddingEndpoint;
pub use gateway::{AuxiliaryCalls, ClientModel, CountTokens, Fallback, GatewaySettings, LastResort};
pub use paths::normalize_path;
pub use predicates::extension_name;
pub use problem::Problem;
pub(crate) use problem::{is_typo_of, nearest_names};
pub(crate) use rules::{Rule, Rules};
pub use schema::{SCHEMA, schema_text};
pub use section::PolicySection;
pub use text_cost::{RuleCost, TextCost};

/// The settings of one workspace, or the global settings. A field is `None` if the file does not contain its block.
#[derive(Debug, Default)]
pub(crate) struct PolicyScope {
    /// The default models, which serve turns that no earlier slot decides.
    pub(crate) default: Option<ModelCandidates>,
    /// The models of each tier, for delegations.
    pub(crate) tiers: Option<BTreeMap<Tier, ModelCandidates>>,
    /// The settings of learned recommendations.
    pub(crate) pattern: Option<PatternSettings>,
    /// The rules, in the order of the file.
    pub(crate) rules: Rules,
}

/// The consequence if the model of an explicit choice (slots 1 and 2) is rejected (decision D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnExplicitReject {
    /// The next slot is evaluated, and a banner reports the rejection.
    #[default]
    FallThrough,
    /// No model is called: the turn is refused.
    Refuse,
}

/// When a recommendation of the pattern store that a rule outranked is shown to the user (004 §5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisagreementSettings {
    /// Whether outranked recommendations are shown at all.
    pub surface: bool,
    /// The lowest confidence of a recommendation that is shown.
    pub min_confidence: Score,
    /// The lowest number of samples of a recommendation that is shown.
    pub min_sample_size: u64,
}

impl Default for DisagreementSettings {
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

/// A valid policy, with the models that it was validated against. Decisions read it. Immutable: a changed file is
/// loaded as another policy.
#[derive(Debug)]
pub struct Policy {
    /// The models that the policy was validated against.
    pub(crate) registry: Arc<Registry>,
    /// The global settings.
    pub(crate) global: PolicyScope,
    /// The settings of each workspace by its absolute path without a trailing slash.
    pub(crate) workspaces: BTreeMap<String, PolicyScope>,
    /// The text predicates of all rules.
    pub(crate) texts: TextSet,
    /// The consequence if the model of an explicit choice is rejected.
    pub(crate) on_explicit_reject: OnExplicitReject,
    /// Whether the model that a skill asks for is a slot of the chain.
    pub(crate) skill_wishes: bool,
    /// When a recommendation that a rule outranked is shown.
    pub(crate) disagreement: DisagreementSettings,
    /// Whether the log records the text of messages.
    pub(crate) record_text: RecordText,
    /// The endpoint that computes embeddings; `None` if there is none.
    pub(crate) embedding: Option<EmbeddingEndpoint>,
    /// The settings for requests of the gateway's clients.
    pub(crate) gateway: GatewaySettings,
    /// The budgets of the block `budgets`, in the order of the file.
    pub(crate) budgets: Vec<Budget>,
    /// The block `skills`; `None` if the file has none.
    pub(crate) skills: Option<PolicySection>,
}

/// A rule of the policy, in the form that `turnwise rules show` prints.
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
    /// Parses and validates a policy file with the content `text`. `home` is the user's home directory, which replaces
    /// `~` at the start of workspace paths.
    ///
    /// An empty file is a valid policy that refuses every turn unless its message names a model.
    ///
    /// # Errors
    /// All [`Problem`]s of the file, in the order of its lines (004 §5.7, decision D8).
    pub fn load(text: &str, registry: Arc<Registry>, home: Option<&str>) -> Result<Self, Vec<Problem>> {
        load::load_policy(text, registry, home)
    }

    /// Returns the models that the policy was validated against.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns when a recommendation of the pattern store that a rule outranked is shown.
    pub const fn disagreement(&self) -> &DisagreementSettings {
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

    /// Returns the endpoint that computes embeddings of messages; `None` if the policy names none.
    pub const fn embedding(&self) -> Option<&EmbeddingEndpoint> {
        self.embedding.as_ref()
    }

    /// Returns the settings of skill routing, which the crate `skills` interprets; `None` if the file has none.
    pub const fn skills(&self) -> Option<&PolicySection> {
        self.skills.as_ref()
    }

    /// Returns whether any rule has a condition on the text of the message.
    pub fn reads_text(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Returns the first global default model, which slot 7 tries; `None` if the policy has no global default.
    pub fn global_default(&self) -> Option<&ModelId> {
        self.global_defaults().next()
    }

    /// Returns the global default models in the order in which they are tried.
    pub fn global_defaults(&self) -> impl Iterator<Item = &ModelId> {
        self.global.default.iter().flat_map(ModelCandidates::ids)
    }

    /// Returns the budgets of the block `budgets`, in the order of the file. Amounts in conditions of rules are not
    /// included.
    pub fn spending_budgets(&self) -> &[Budget] {
        &self.budgets
    }

    /// Returns the state of each budget that applies to a turn, in the order of the file.
    pub fn budget_states(&self, turn: &Turn<'_>) -> Vec<BudgetState> {
        self.budgets.iter().filter_map(|budget| budget.state(turn)).collect()
    }

    /// Returns the daily amounts in the conditions of rules (`cost_today_exceeds_usd`), in the order of the rules.
    pub fn budgets(&self) -> Vec<NanoUsd> {
        self.scopes().flat_map(|(_, scope)| scope.rules.iter()).flat_map(|rule| rule.when.budgets()).collect()
    }

    /// Returns whether the model of a turn depends on the skills that its message loads: because of a rule, or because the
    /// policy reads the wishes of skills.
    pub fn reads_selected_skills(&self) -> bool {
        self.skill_wishes
            || self.scopes().flat_map(|(_, scope)| scope.rules.iter()).any(|rule| rule.when.reads_selected_skills())
    }

    /// Returns all rules in the order in which they are evaluated: first those of workspaces, by path, then the global
    /// ones.
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

    /// Returns all settings with the path of their workspace: first those of workspaces, by path, then the global ones,
    /// whose path is `None`.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = (Option<&str>, &PolicyScope)> {
        let workspaces = self.workspaces.iter().map(|(path, scope)| (Some(path.as_str()), scope));
        workspaces.chain([(None, &self.global)])
    }

    /// Returns the settings of learned recommendations for a workspace: its own, else the global ones, else the
    /// defaults (decision D7).
    pub fn pattern_settings(&self, workspace: Option<&str>) -> PatternSettings {
        let own = self.workspace(workspace).and_then(|scope| scope.pattern);
        own.or(self.global.pattern).unwrap_or_default()
    }

    /// Returns the first default model of a workspace, which serves turns that no earlier slot decides: its own, else
    /// the global one. `None` if neither exists.
    pub fn default_model(&self, workspace: Option<&str>) -> Option<&ModelId> {
        let own = self.workspace(workspace).and_then(|scope| scope.default.as_ref());
        own.or(self.global.default.as_ref()).map(|models| &models.first().id)
    }

    /// Returns the model that serves a turn if no earlier slot decides it and nothing is recommended, which a recommendation
    /// is compared with: the model that the client requests, if the policy prefers it to what was learned (decision D35), or
    /// else the default. `None` if neither exists.
    pub fn model_without_recommendation<'a>(
        &'a self,
        workspace: Option<&str>,
        request: Option<&'a ClientRequest>,
    ) -> Option<&'a ModelId> {
        let prefers_requested =
            self.gateway.client_model == ClientModel::Default && !self.pattern_settings(workspace).over_requested;
        let applicable_request = request.filter(|request| {
            prefers_requested && request.auxiliary.is_none() && !self.registry.is_auto(&request.model)
        });
        applicable_request.and_then(|request| request.named.as_ref()).or_else(|| self.default_model(workspace))
    }

    /// Returns the settings of the workspace at `path`, or of its closest parent directory that has any (decision D7);
    /// `None` if there is none.
    pub(crate) fn workspace(&self, path: Option<&str>) -> Option<&PolicyScope> {
        if self.workspaces.is_empty() {
            return None;
        }
        let absolute_path = paths::normalize_path(path?, None)?;
        let mut path = absolute_path.as_str();
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
