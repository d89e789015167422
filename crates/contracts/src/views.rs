//! What a decision reads of the world: plain data and one question, all standing at one log position.

use std::collections::BTreeMap;

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Features, ModelId, OutageScope, Provider, Recommendation};

mod pattern_settings;

pub use pattern_settings::{CostScale, Estimator, FingerprintKind, PatternSettings};

/// Models and providers whose recent calls failed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outages {
    /// Models, with the time from which each counts as recovered.
    pub models: BTreeMap<ModelId, Timestamp>,
    /// Whole providers, with the time from which each counts as recovered.
    pub providers: BTreeMap<Provider, Timestamp>,
}

impl Outages {
    /// What keeps `model` from being used at a time; the provider is asked first (004 §4.5.3).
    pub fn against(&self, model: &ModelId, at: Timestamp) -> Option<OutageScope> {
        if let Some((provider, until)) = self.providers.get_key_value(model.provider())
            && at < *until
        {
            return Some(OutageScope::ProviderWide(provider.clone()));
        }
        let (model, until) = self.models.get_key_value(model)?;
        (at < *until).then(|| OutageScope::ModelSpecific(model.clone()))
    }
}

/// A question to the learned patterns.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Whose patterns: the path of the workspace.
    pub workspace: Option<&'a str>,
    /// The turn.
    pub features: &'a Features,
    /// The knobs.
    pub settings: &'a PatternSettings,
    /// The model that takes the turn when nothing is recommended.
    pub instead: Option<&'a ModelId>,
    /// Models for which this is false never enter the cluster (decision D23).
    pub known: &'a dyn Fn(&ModelId) -> bool,
}

impl std::fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking")
            .field("workspace", &self.workspace)
            .field("features", &self.features)
            .field("settings", &self.settings)
            .field("instead", &self.instead)
            .finish_non_exhaustive()
    }
}

/// The learned patterns of a workspace.
pub trait PatternView {
    /// What the turns most like this one recommend, before any threshold on confidence or samples; `None`
    /// when nothing similar was ever scored.
    fn recommend(&self, asking: &Asking<'_>) -> Option<Recommendation>;
}

/// A view that has learned nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPatterns;

impl PatternView for NoPatterns {
    fn recommend(&self, _asking: &Asking<'_>) -> Option<Recommendation> {
        None
    }
}

/// All views of one log position.
#[derive(Clone, Copy)]
pub struct Views<'a> {
    /// Who is out.
    pub outages: &'a Outages,
    /// What was learned.
    pub patterns: &'a dyn PatternView,
}

impl std::fmt::Debug for Views<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").field("outages", self.outages).finish_non_exhaustive()
    }
}
