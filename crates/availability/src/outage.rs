//! An outage: its scope, trigger, cause and end.

use contracts::{
    KeyId, ModelId, OutageScope,
    events::{OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use event_core::{EventId, EventType, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of models listed in an outage, so that its event always fits a payload.
const MODELS_NAMED: usize = 16;

/// The event that caused a change of health; for an end without a call, the start of the outage. The ids of the
/// resulting transitions are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// Time of the event.
    pub(crate) at: Timestamp,
    /// Id of the event.
    pub(crate) event: EventId,
    /// Id of the event's turn.
    pub(crate) correlation: EventId,
    /// Id of the call's start event; `None` if the start was not recorded.
    pub(crate) call: Option<EventId>,
}

/// The end of an outage, with its reason and cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// Reason for the end.
    pub(crate) by: RecoveredBy,
    /// Event that ended the outage.
    pub(crate) cause: Cause,
}

/// An outage of one scope, from its trigger to its end. [`Health`](crate::health::Health) contains the active or latest
/// one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outage {
    /// The unavailable model or provider.
    pub(crate) scope: OutageScope,
    /// The condition that started it.
    pub(crate) trigger: OutageTrigger,
    /// The models whose failures started it, at most [`MODELS_NAMED`].
    pub(crate) models: Vec<ModelId>,
    /// The configured key whose rejection started it; `None` for other outages.
    pub(crate) key: Option<KeyId>,
    /// The failure that reached the threshold.
    pub(crate) cause: Cause,
    /// The end; `None` while the outage is active.
    pub(crate) end: Option<End>,
    /// Whether the log has an event for its start.
    pub(crate) announced: bool,
    /// Whether the log has an event for its end.
    pub(crate) closed: bool,
}

impl Outage {
    /// Creates an active outage without a key; lists at most [`MODELS_NAMED`] of the models.
    pub(crate) fn new(scope: OutageScope, trigger: OutageTrigger, mut models: Vec<ModelId>, cause: Cause) -> Self {
        models.truncate(MODELS_NAMED);
        Self { scope, trigger, models, key: None, cause, end: None, announced: false, closed: false }
    }

    /// Returns the id of the event for its start. It differs between model and provider, since one failure can start
    /// both outages.
    pub(crate) fn unavailable_id(&self) -> EventId {
        let number = match self.scope {
            OutageScope::ModelSpecific(_) => 0,
            OutageScope::ProviderWide(_) => 1,
        };
        self.cause.event.then(ProviderUnavailable::KIND, number)
    }

    /// Returns the id of the event for its end.
    pub(crate) fn recovered_id(&self) -> EventId {
        self.unavailable_id().then(ProviderRecovered::KIND, 0)
    }

    /// Returns the end by automatic recovery at a time.
    pub(crate) fn auto_recovery(&self, at: Timestamp) -> End {
        self.end_by(RecoveredBy::AutoClear, at)
    }

    /// Returns the end at a time for a reason other than a successful call; its cause is the start of the outage.
    pub(crate) fn end_by(&self, by: RecoveredBy, at: Timestamp) -> End {
        let cause = Cause { at, event: self.unavailable_id(), correlation: self.cause.correlation, call: None };
        End { by, cause }
    }

    /// Returns whether the log has an event for its start but none for its end.
    pub(crate) const fn is_unclosed(&self) -> bool {
        self.announced && !self.closed
    }
}
