//! Events about the start and end of outages of models and providers (004 §4.5). The running process appends each
//! transition once; a replay appends none.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{event, sample};
use crate::{KeyId, ModelId, OutageScope};

/// Condition that made a model or a provider unavailable (004 §4.5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageTrigger {
    /// Five consecutive failures of the model within two minutes.
    ConsecutiveFailures,
    /// The provider rejected a key.
    AuthError,
    /// Two network errors of the provider within 30 seconds.
    NetworkErrors,
    /// Three models of the provider became unavailable within two minutes.
    MultiModelFailures,
    /// The first call after an outage that had ended automatically failed.
    ProbeFailed,
}

impl OutageTrigger {
    /// Returns the condition of the outage in words, for messages to the user.
    pub const fn text(self) -> &'static str {
        match self {
            Self::ConsecutiveFailures => "five failures in a row within two minutes",
            Self::AuthError => "the provider refused the key",
            Self::NetworkErrors => "two network errors within 30 seconds",
            Self::MultiModelFailures => "three models failed within two minutes",
            Self::ProbeFailed => "the first call after an outage failed",
        }
    }
}

/// Event: a model or a whole provider became unavailable, so that validation rejects it until `clears_at` or a
/// recovery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderUnavailable {
    /// The unavailable model or provider.
    pub scope: OutageScope,
    /// Condition that was met.
    pub trigger: OutageTrigger,
    /// Models whose failures met the condition.
    pub models: Vec<ModelId>,
    /// Time at which the outage ends automatically if no other event ends or extends it.
    pub clears_at: Timestamp,
    /// Configured key that was rejected; the outage ends when the key changes (decision D37). `None` for other triggers
    /// than [`OutageTrigger::AuthError`], and if the key is unknown, as for imported calls.
    pub key: Option<KeyId>,
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
        key: Some(sample::key()),
    }
);

/// Cause of the end of an outage of a provider or model, recorded in `provider.recovered`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveredBy {
    /// A call to the model or provider succeeded.
    Success,
    /// No call was attempted for five minutes (004 §4.5.2).
    AutoClear,
    /// The provider has another key than the one it had rejected (decision D37).
    KeyChanged,
    /// The user requested it: `turnwise providers retry`, or the button on the page (decision D37).
    Retry,
}

/// Event: a model or a whole provider became available again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderRecovered {
    /// The available model or provider.
    pub scope: OutageScope,
    /// Reason for the recovery.
    pub by: RecoveredBy,
    /// Duration of the outage in seconds.
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
