//! The state that a decision reads beside the turn: outages and learned patterns, all at one log position.

use std::collections::BTreeMap;

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Failure, Features, ModelId, OutageScope, Provider, Recommendation, RefusedKey};

mod pattern_settings;

pub use pattern_settings::{CostScale, Estimator, FingerprintKind, PatternSettings};

/// The unavailable models and providers, each with the time at which its outage ends unless it is ended before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outages {
    /// Unavailable models, with the time at which the outage ends.
    pub models: BTreeMap<ModelId, Timestamp>,
    /// Unavailable providers, with the time at which the outage ends.
    pub providers: BTreeMap<Provider, Timestamp>,
    /// Unavailable providers that rejected their configured key, with the environment variable that contains the key;
    /// `None` if it is in the file `keys`.
    pub refused_keys: BTreeMap<Provider, Option<String>>,
}

impl Outages {
    /// Returns the outage that makes `model` unavailable at the time `at`: that of its provider, or else its own (004
    /// §4.5.3); `None` if there is none.
    pub fn against(&self, model: &ModelId, at: Timestamp) -> Option<OutageScope> {
        if let Some((provider, until)) = self.providers.get_key_value(model.provider())
            && at < *until
        {
            return Some(OutageScope::ProviderWide(provider.clone()));
        }
        let (model, until) = self.models.get_key_value(model)?;
        (at < *until).then(|| OutageScope::ModelSpecific(model.clone()))
    }

    /// Returns the reason why an outage makes `model` unavailable at the time `at`; `None` if there is no outage. A
    /// rejected API key has a reason of its own.
    pub fn failure(&self, model: &ModelId, at: Timestamp) -> Option<Failure> {
        let scope = self.against(model, at)?;
        if let OutageScope::ProviderWide(provider) = &scope
            && let Some(variable) = self.refused_keys.get(provider)
        {
            let refused_key = RefusedKey { provider: provider.clone(), variable: variable.clone() };
            return Some(Failure::KeyRefused(Box::new(refused_key)));
        }
        Some(Failure::ProviderUnavailable(scope))
    }
}

/// A query for the model that is recommended for a turn: the turn's workspace and features, the settings and the
/// allowed models.
#[derive(Clone, Copy)]
pub struct PatternQuery<'a> {
    /// Path of the workspace whose patterns are searched; `None` for turns without a workspace.
    pub workspace: Option<&'a str>,
    /// Features of the turn.
    pub features: &'a Features,
    /// Settings of the policy.
    pub settings: &'a PatternSettings,
    /// The model that serves the turn if nothing is recommended; `None` if there is none.
    pub baseline: Option<&'a ModelId>,
    /// Whether a model may be recommended; other models are excluded from the search (decision D23).
    pub known: &'a dyn Fn(&ModelId) -> bool,
}

impl std::fmt::Debug for PatternQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PatternQuery")
            .field("workspace", &self.workspace)
            .field("features", &self.features)
            .field("settings", &self.settings)
            .field("baseline", &self.baseline)
            .finish_non_exhaustive()
    }
}

/// Access to what was learned from past turns. The pattern store implements it.
pub trait PatternView {
    /// Recommends the model with the best outcomes on similar turns. Thresholds on confidence or samples are not
    /// applied; the caller compares. `None` if no similar turn has a score.
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation>;
}

/// A pattern store that has learned nothing and recommends nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPatterns;

impl PatternView for NoPatterns {
    fn recommend(&self, _query: &PatternQuery<'_>) -> Option<Recommendation> {
        None
    }
}

/// All state that a decision reads beside the turn: outages and learned patterns, at the same position of the log.
#[derive(Clone, Copy)]
pub struct Views<'a> {
    /// Current outages.
    pub outages: &'a Outages,
    /// Learned patterns.
    pub patterns: &'a dyn PatternView,
}

impl std::fmt::Debug for Views<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").field("outages", self.outages).finish_non_exhaustive()
    }
}
