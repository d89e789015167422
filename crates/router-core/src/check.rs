//! Warnings about a valid policy: rules that never match, models without access, and settings without effect.

mod never;
mod skills;

use std::{collections::BTreeSet, fmt};

use contracts::{ModelId, ModelSpec, NanoUsd, Score, views::Estimator};

use crate::policy::{Policy, PolicyScope, Rule, Rules};
use never::{ImpossibleCondition, impossible_condition};
use skills::unlisted_skills;

/// The lowest confidence that the calibrated estimator can return: if the probability that one model is better were
/// lower, it would recommend the other one.
const LEAST_CALIBRATED_CONFIDENCE: Score = Score(500_000_000);

/// The greatest number of places in a policy that one warning lists.
const MAX_PLACES: usize = 2;

/// A warning about a valid policy. Its display form is one line without the name of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// An earlier rule matches whenever this rule does. This rule is therefore used only if all models of the earlier
    /// rule are rejected.
    Shadowed {
        /// The name of the rule.
        rule: String,
        /// The line on which it starts.
        line: usize,
        /// The name of the earlier rule.
        by: String,
        /// The line on which the earlier rule starts.
        by_line: usize,
        /// Whether the earlier rule matches every turn; otherwise both have the same condition.
        always: bool,
    },
    /// The condition of a rule can never hold, or not for the clients that it names.
    NeverFires {
        /// The name of the rule.
        rule: String,
        /// The line on which it starts.
        line: usize,
        /// The reason, as the second part of a sentence.
        because: String,
    },
    /// Places of the policy name only models without access, because their providers have no key.
    NoAccess {
        /// The name of the provider.
        provider: String,
        /// The places, such as `rule "deep for design" (line 12)`.
        places: Vec<String>,
    },
    /// A model has no known price, so that the budgets of the policy count its calls as free.
    Unpriced {
        /// The model.
        model: ModelId,
        /// The lowest budget of the policy.
        budget: NanoUsd,
    },
    /// `min_confidence` is so low that every recommendation of the estimator reaches it.
    OpenGate {
        /// The path of the workspace with the setting; `None` for the global one.
        workspace: Option<String>,
        /// The value.
        min_confidence: Score,
    },
    /// The policy has no `global_default`, so that a turn is refused if nothing else decides it.
    NoDefault {
        /// Whether the policy has rules or defaults of workspaces.
        decides_something: bool,
    },
}

impl Warning {
    /// Returns the line of the policy file that the warning refers to, from 1; `None` if it refers to the whole file.
    pub const fn line(&self) -> Option<usize> {
        match self {
            Self::Shadowed { line, .. } | Self::NeverFires { line, .. } => Some(*line),
            _ => None,
        }
    }
}

/// Returns the warnings about a policy. Warnings about rules come first, in the order in which rules are evaluated. A
/// model can be reached if the registry of the policy has it as `configured`. `clients` are the names of the clients
/// whose requests the policy decides; `None` if they are not known.
pub fn warnings(policy: &Policy, clients: Option<&BTreeSet<String>>) -> Vec<Warning> {
    let mut warnings: Vec<_> = policy.scopes().flat_map(|(_, scope)| rule_warnings(&scope.rules, clients)).collect();
    warnings.extend(unreachable_providers(policy));
    warnings.extend(unpriced_models(policy));
    warnings.extend(open_gates(policy));
    let decides_something = policy.scopes().any(|(_, scope)| !scope.rules.is_empty() || scope.default.is_some());
    if policy.global.default.is_none() {
        warnings.push(Warning::NoDefault { decides_something });
    }
    warnings
}

/// Finds the rules of one scope that an earlier rule shadows or whose condition never holds.
fn rule_warnings(rules: &Rules, clients: Option<&BTreeSet<String>>) -> Vec<Warning> {
    let warnings = rules.iter().enumerate().filter_map(|(index, rule)| {
        if let Some(condition) = impossible_condition(&rule.when) {
            let because = match condition {
                ImpossibleCondition::Everywhere(because) | ImpossibleCondition::InClients(because) => because,
            };
            return Some(Warning::NeverFires { rule: rule.name.clone(), line: rule.line, because });
        }
        if let Some(because) = clients.and_then(|clients| unlisted_skills(&rule.when, clients)) {
            return Some(Warning::NeverFires { rule: rule.name.clone(), line: rule.line, because });
        }
        let earlier_rule =
            rules[..index].iter().find(|earlier| earlier.when.always_holds() || earlier.when == rule.when)?;
        Some(Warning::Shadowed {
            rule: rule.name.clone(),
            line: rule.line,
            by: earlier_rule.name.clone(),
            by_line: earlier_rule.line,
            always: earlier_rule.when.always_holds(),
        })
    });
    warnings.collect()
}

/// Returns the parts of a policy that name models (rules, defaults, tiers), each with its description and its models.
fn model_places(policy: &Policy) -> Vec<(String, Vec<&ModelSpec>)> {
    let mut places = Vec::new();
    for (workspace, scope) in policy.scopes() {
        for rule in scope.rules.iter() {
            places.push((format!("rule \"{}\" (line {})", rule.name, rule.line), rule_models(rule)));
        }
        let within = workspace.map(|path| format!(" of {path}")).unwrap_or_default();
        if let Some(models) = default_models(scope) {
            let name = if workspace.is_some() { "default" } else { "global_default" };
            places.push((format!("{name}{within}"), models));
        }
        for (tier, models) in tier_models(scope) {
            places.push((format!("tier {tier}{within}"), models));
        }
    }
    places
}

/// Returns a warning for each provider without a key, if a place of the policy names only models of such providers.
fn unreachable_providers(policy: &Policy) -> Vec<Warning> {
    let places = model_places(policy);
    let places_without_key: Vec<_> =
        places.iter().filter(|(_, models)| models.iter().all(|model| !model.configured)).collect();
    let providers: BTreeSet<&str> =
        places_without_key.iter().flat_map(|(_, models)| models.iter().map(|model| model.provider.as_str())).collect();
    let warning = |provider: &str| Warning::NoAccess {
        provider: provider.to_owned(),
        places: places_without_key
            .iter()
            .filter(|(_, models)| models.iter().any(|model| model.provider.as_str() == provider))
            .map(|(place, _)| place.clone())
            .collect(),
    };
    providers.into_iter().map(warning).collect()
}

/// Returns a warning for each model in the policy that has no known price; none if the policy has no budget.
fn unpriced_models(policy: &Policy) -> Vec<Warning> {
    let Some(budget) = policy.budgets().into_iter().min() else { return Vec::new() };
    let places = model_places(policy);
    let unpriced_models: BTreeSet<&ModelId> = places
        .iter()
        .flat_map(|(_, models)| models.iter().filter(|model| model.prices.is_none()).map(|model| &model.id))
        .collect();
    unpriced_models.into_iter().map(|model| Warning::Unpriced { model: model.clone(), budget }).collect()
}

/// Returns a warning for each `pattern` block with a minimum confidence so low that every recommendation of the
/// calibrated estimator reaches it (decision D34).
fn open_gates(policy: &Policy) -> Vec<Warning> {
    let blocks = policy.scopes().filter_map(|(workspace, scope)| Some((workspace, scope.pattern?)));
    let open_blocks = blocks.filter(|(_, settings)| {
        settings.estimator == Estimator::Calibrated && settings.min_confidence < LEAST_CALIBRATED_CONFIDENCE
    });
    let warning = |(workspace, settings): (Option<&str>, contracts::views::PatternSettings)| Warning::OpenGate {
        workspace: workspace.map(str::to_owned),
        min_confidence: settings.min_confidence,
    };
    open_blocks.map(warning).collect()
}

/// Returns the models that a rule proposes, in the order in which they are tried.
fn rule_models(rule: &Rule) -> Vec<&ModelSpec> {
    rule.models.iter().collect()
}

/// Returns the default models of a scope; `None` if it has no default.
fn default_models(scope: &PolicyScope) -> Option<Vec<&ModelSpec>> {
    scope.default.as_ref().map(|models| models.iter().collect())
}

/// Returns the models of each tier in the `tiers` of a scope; empty if it has no such block.
fn tier_models(scope: &PolicyScope) -> Vec<(contracts::Tier, Vec<&ModelSpec>)> {
    scope.tiers.iter().flatten().map(|(tier, models)| (*tier, models.iter().collect())).collect()
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shadowed { rule, line, by, by_line, always } => {
                let cause = if *always { "always matches" } else { "has the same condition" };
                write!(
                    f,
                    "line {line}: rule \"{rule}\" is only a fallback: rule \"{by}\" (line {by_line}) precedes it \
                     and {cause}"
                )
            }
            Self::NeverFires { rule, line, because } => write!(f, "line {line}: rule \"{rule}\" {because}"),
            Self::NoAccess { provider, places } => {
                let first_places = places.iter().take(MAX_PLACES).cloned().collect::<Vec<_>>().join(", ");
                write!(f, "no key for {provider} was found, used by {first_places}")?;
                match places.len().saturating_sub(MAX_PLACES) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::Unpriced { model, budget } => {
                write!(f, "{model} has no price: its calls count as $0 towards the budget of {budget}")
            }
            Self::OpenGate { workspace, min_confidence } => {
                let place = workspace.as_ref().map(|path| format!(" of {path}")).unwrap_or_default();
                write!(
                    f,
                    "`pattern.min_confidence`{place} is {min_confidence}, and the calibrated estimator never has less \
                     than 0.50: set 0.78, or `estimator: paper`"
                )
            }
            Self::NoDefault { decides_something: true } => f.write_str(
                "there is no `global_default`: a turn that no rule decides and that names no model is refused",
            ),
            Self::NoDefault { decides_something: false } => f.write_str(
                "the policy decides nothing: a turn that names no model is refused. `turnwise init --force` writes a \
                 policy with rules",
            ),
        }
    }
}
