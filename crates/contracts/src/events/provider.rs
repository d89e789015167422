//! Events about who can be reached (004 §4.5). Appended once each by the live process, never by a replay.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{ModelId, OutageScope};

/// What took a model or a provider out (004 §4.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageTrigger {
    /// Five failures in a row within two minutes.
    ConsecutiveFailures,
    /// A refused key.
    AuthError,
    /// Two network errors within thirty seconds.
    NetworkErrors,
    /// Three models of the provider out within two minutes.
    MultiModelFailures,
    /// The first call after an outage that had ended by itself failed too.
    ProbeFailed,
}

/// A model, or a whole provider, counts as unavailable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderUnavailable {
    /// How much is out.
    pub scope: OutageScope,
    /// What took it out.
    pub trigger: OutageTrigger,
    /// The models whose failures led to it.
    pub models: Vec<ModelId>,
    /// When it counts as recovered if nothing else happens.
    pub clears_at: Timestamp,
}

event!(
    ProviderUnavailable,
    "routing.provider_unavailable",
    1,
    Public,
    "A model, or a whole provider, counts as unavailable.",
    ProviderUnavailable {
        scope: OutageScope::ProviderWide(sample::provider()),
        trigger: OutageTrigger::AuthError,
        models: vec![sample::model()],
        clears_at: Timestamp::from_secs(1_778_250_191),
    }
);

/// What brought it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveredBy {
    /// A call succeeded.
    Success,
    /// Five minutes without an attempt (004 §4.5.2).
    AutoClear,
}

/// A model, or a whole provider, counts as available again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderRecovered {
    /// How much is back.
    pub scope: OutageScope,
    /// What brought it back.
    pub by: RecoveredBy,
    /// Seconds it was out.
    pub down_seconds: u64,
}

event!(
    ProviderRecovered,
    "routing.provider_recovered",
    1,
    Public,
    "A model, or a whole provider, counts as available again.",
    ProviderRecovered {
        scope: OutageScope::ModelSpecific(sample::model()),
        by: RecoveredBy::AutoClear,
        down_seconds: 300,
    }
);
