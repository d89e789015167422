//! What a decision reads of the world: plain data and one question, all standing at one log position.

use std::collections::BTreeMap;

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Features, ModelId, OutageScope, Provider, Recommendation, Score};

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

/// How the cost of models is put on a scale from 0 to 1 (decision D25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CostScale {
    /// The cheapest of the cluster is 1, the dearest 0, as 004 §5.5 has it.
    #[default]
    Cluster,
    /// 1 - cost / dearest: a difference of one per cent stays one per cent.
    Relative,
}

/// The knobs of the pattern policy (004 §5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternSettings {
    /// 0 is pure quality, 1 pure cost.
    pub cost_weight: Score,
    /// Below this confidence nothing is recommended.
    pub min_confidence: Score,
    /// Below this many scored samples nothing is recommended; at least 1.
    pub min_sample_size: u64,
    /// Neighbours less similar than this do not count (decision D22).
    pub min_similarity: Score,
    /// How many neighbours are looked at.
    pub neighbours: u16,
    /// How cost is scaled.
    pub cost_scale: CostScale,
}

impl Default for PatternSettings {
    fn default() -> Self {
        Self {
            cost_weight: Score(50_000_000),
            min_confidence: Score(50_000_000),
            min_sample_size: 5,
            min_similarity: Score(300_000_000),
            neighbours: 10,
            cost_scale: CostScale::Cluster,
        }
    }
}

/// The learned patterns of a workspace.
pub trait PatternView {
    /// What the turns most like this one recommend, before any threshold on confidence or samples; `None`
    /// when nothing similar was ever scored. Models for which `known` is false never enter the cluster
    /// (decision D23).
    fn recommend(
        &self,
        workspace: Option<&str>,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Option<Recommendation>;
}

/// A view that has learned nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoPatterns;

impl PatternView for NoPatterns {
    fn recommend(
        &self,
        _workspace: Option<&str>,
        _features: &Features,
        _settings: &PatternSettings,
        _known: &dyn Fn(&ModelId) -> bool,
    ) -> Option<Recommendation> {
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
