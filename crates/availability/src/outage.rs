//! [`Outage`], a time during which a model or provider is unavailable: its scope, trigger, cause and end.

use contracts::{
    KeyId, ModelId, OutageScope,
    events::{OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use event_core::{EventId, EventType, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of models listed in an outage, so that its event always fits the size limit of payloads.
const MODELS_NAMED: usize = 16;

/// The event that caused a change of a scope's health; for an outage that ended without a call, the event of its start.
/// The ids of the resulting transitions are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CauseEvent {
    /// Time of the event.
    pub(crate) at: Timestamp,
    /// Id of the event.
    pub(crate) event: EventId,
    /// Correlation id of the event: the id of its turn.
    pub(crate) correlation: EventId,
    /// Id of the start event of the call; `None` if the start was not recorded.
    pub(crate) call: Option<EventId>,
}

/// The end of an outage, with its reason and its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OutageEnd {
    /// Reason why the outage ended.
    pub(crate) by: RecoveredBy,
    /// Event that ended the outage.
    pub(crate) cause: CauseEvent,
}

/// An outage of one scope (a model or a provider), from its trigger to its end. [`Health`](crate::health::Health)
/// contains the active or latest outage of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outage {
    /// The unavailable model or provider.
    pub(crate) scope: OutageScope,
    /// The condition that started the outage.
    pub(crate) trigger: OutageTrigger,
    /// The models whose failures started the outage, at most [`MODELS_NAMED`].
    pub(crate) models: Vec<ModelId>,
    /// The configured key whose rejection started the outage; `None` for outages of other triggers.
    pub(crate) key: Option<KeyId>,
    /// The failed call that started the outage.
    pub(crate) cause: CauseEvent,
    /// The end of the outage; `None` while it is active.
    pub(crate) end: Option<OutageEnd>,
    /// Whether the log has the event of its start.
    pub(crate) is_start_recorded: bool,
    /// Whether the log has the event of its end.
    pub(crate) is_end_recorded: bool,
}

impl Outage {
    /// Creates an active outage without a key. Of `models`, it lists at most [`MODELS_NAMED`].
    pub(crate) fn new(scope: OutageScope, trigger: OutageTrigger, mut models: Vec<ModelId>, cause: CauseEvent) -> Self {
        models.truncate(MODELS_NAMED);
        Self { scope, trigger, models, key: None, cause, end: None, is_start_recorded: false, is_end_recorded: false }
    }

    /// Returns the id of the event of its start. It differs between model and provider, since one failure can start an
    /// outage of each.
    pub(crate) fn unavailable_id(&self) -> EventId {
        let number = match self.scope {
            OutageScope::ModelSpecific(_) => 0,
            OutageScope::ProviderWide(_) => 1,
        };
        self.cause.event.then(ProviderUnavailable::KIND, number)
    }

    /// Returns the id of the event of its end.
    pub(crate) fn recovered_id(&self) -> EventId {
        self.unavailable_id().then(ProviderRecovered::KIND, 0)
    }

    /// Returns the end of this outage by automatic recovery at the time `at`. Does not change the outage.
    pub(crate) fn auto_recovery(&self, at: Timestamp) -> OutageEnd {
        self.end_by(RecoveredBy::AutoClear, at)
    }

    /// Returns the end of this outage at the time `at` for a reason `by` other than a successful call; its cause is the
    /// start of the outage. Does not change the outage.
    pub(crate) fn end_by(&self, by: RecoveredBy, at: Timestamp) -> OutageEnd {
        let cause = CauseEvent { at, event: self.unavailable_id(), correlation: self.cause.correlation, call: None };
        OutageEnd { by, cause }
    }

    /// Returns whether the log has the event of the outage's start but not the event of its end.
    pub(crate) const fn is_unclosed(&self) -> bool {
        self.is_start_recorded && !self.is_end_recorded
    }
}
