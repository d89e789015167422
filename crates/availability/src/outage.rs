//! One outage: what it is about, how it began and how it ended.

use contracts::{
    ModelId, OutageScope,
    events::{OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use event_core::{Event, EventId, Timestamp};
use serde::{Deserialize, Serialize};

/// An outage names at most so many models, so that its event always fits a payload.
const MODELS_NAMED: usize = 16;

/// The event behind a change, as far as the change needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cause {
    /// When it happened.
    pub(crate) at: Timestamp,
    /// Its id.
    pub(crate) event: EventId,
    /// The turn it belongs to.
    pub(crate) correlation: EventId,
    /// The start of the call it is about, where the log tells of it.
    pub(crate) call: Option<EventId>,
}

/// How an outage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct End {
    /// What ended it.
    pub(crate) by: RecoveredBy,
    /// When, and because of which event.
    pub(crate) cause: Cause,
}

/// An outage of one scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outage {
    /// How much is out.
    pub(crate) scope: OutageScope,
    /// What took it out.
    pub(crate) trigger: OutageTrigger,
    /// The models whose failures led to it.
    pub(crate) models: Vec<ModelId>,
    /// The failure that was one too many.
    pub(crate) cause: Cause,
    /// How it ended, once that is certain.
    pub(crate) end: Option<End>,
    /// Whether the log tells that it began.
    pub(crate) announced: bool,
    /// Whether the log tells that it ended.
    pub(crate) closed: bool,
}

impl Outage {
    /// An outage that begins, naming at most [`MODELS_NAMED`] of the models behind it.
    pub(crate) fn new(scope: OutageScope, trigger: OutageTrigger, mut models: Vec<ModelId>, cause: Cause) -> Self {
        models.truncate(MODELS_NAMED);
        Self { scope, trigger, models, cause, end: None, announced: false, closed: false }
    }

    /// The id of the event that tells of its beginning. One failure can take out a model and its provider.
    pub(crate) fn unavailable_id(&self) -> EventId {
        let number = match self.scope {
            OutageScope::ModelSpecific(_) => 0,
            OutageScope::ProviderWide(_) => 1,
        };
        self.cause.event.then(ProviderUnavailable::KIND, number)
    }

    /// The id of the event that tells of its end.
    pub(crate) fn recovered_id(&self) -> EventId {
        self.unavailable_id().then(ProviderRecovered::KIND, 0)
    }

    /// The end it comes to at a time when nobody has tried for long enough.
    pub(crate) fn quiet_end(&self, at: Timestamp) -> End {
        let cause = Cause { at, event: self.unavailable_id(), correlation: self.cause.correlation, call: None };
        End { by: RecoveredBy::AutoClear, cause }
    }

    /// Whether the log tells of its beginning but not of its end.
    pub(crate) const fn is_unclosed(&self) -> bool {
        self.announced && !self.closed
    }
}
