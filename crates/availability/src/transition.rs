//! The events about outages that the log does not tell yet (decision D6).

use contracts::{
    OutageScope,
    events::{ProviderRecovered, ProviderUnavailable},
};
use event_core::{CodecError, EventId, NewEvent, Timestamp};

use crate::{
    Availability,
    health::Health,
    outage::{End, Outage},
    thresholds::QUIET_SECONDS,
};

/// What a transition tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransitionEvent {
    /// A scope went out.
    Unavailable(ProviderUnavailable),
    /// A scope came back.
    Recovered(ProviderRecovered),
}

impl TransitionEvent {
    /// What it is about.
    pub const fn scope(&self) -> &OutageScope {
        match self {
            Self::Unavailable(event) => &event.scope,
            Self::Recovered(event) => &event.scope,
        }
    }
}

/// An event to append, complete but for its encoding.
///
/// Everything in it follows from events of the log, so that whoever asks, and however often, it is the same event
/// with the same id, and the log keeps it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Derived from the failure that began the outage.
    pub id: EventId,
    /// When the transition happened: the time of the failure or success behind it, or the end of the quiet time.
    pub at: Timestamp,
    /// The turn of the event behind it.
    pub correlation: EventId,
    /// The event behind it: the failure, the success, or for a quiet end the announcement of the outage.
    pub causation: EventId,
    /// What it tells.
    pub event: TransitionEvent,
}

impl Transition {
    /// The event, sealed for the log.
    ///
    /// # Errors
    /// [`CodecError::Encode`] when it is larger than a payload may be, which an outage never is.
    pub fn seal(&self) -> Result<NewEvent, CodecError> {
        let sealed = match &self.event {
            TransitionEvent::Unavailable(event) => NewEvent::new(self.id, self.at, self.correlation, event),
            TransitionEvent::Recovered(event) => NewEvent::new(self.id, self.at, self.correlation, event),
        };
        Ok(sealed?.caused_by(self.causation))
    }
}

impl Availability {
    /// The transitions that have happened by `at` and that the log does not tell of, oldest first, models before
    /// their provider.
    ///
    /// An outage is announced while it stands, and its end only when its beginning was. So nothing is said
    /// about outages long past, such as those of an import. Ask after every event folded, and now and then when
    /// nothing happens, since quiet ends an outage too; asking does not change anything.
    pub fn transitions(&self, at: Timestamp) -> Vec<Transition> {
        let providers = self.providers.values();
        let healths = providers.flat_map(|provider| {
            std::iter::once(&provider.health).chain(provider.models.values().map(|model| &model.health))
        });
        let latest = healths.filter_map(|health| transition_of(health, at));
        let replaced = self.replaced.iter().filter_map(|outage| outage.end.map(|end| recovered(outage, end)));
        let mut transitions: Vec<_> = replaced.chain(latest).collect();
        transitions.sort_by(|one, other| (one.at, one.event.scope()).cmp(&(other.at, other.event.scope())));
        transitions
    }
}

fn transition_of(health: &Health, at: Timestamp) -> Option<Transition> {
    let outage = health.latest()?;
    let quiet_from = health.quiet_from();
    let end = outage.end.or_else(|| (quiet_from <= at).then(|| outage.quiet_end(quiet_from)));
    match end {
        None if !outage.announced => Some(unavailable(outage)),
        Some(end) if outage.is_unclosed() => Some(recovered(outage, end)),
        _ => None,
    }
}

fn unavailable(outage: &Outage) -> Transition {
    Transition {
        id: outage.unavailable_id(),
        at: outage.cause.at,
        correlation: outage.cause.correlation,
        causation: outage.cause.event,
        event: TransitionEvent::Unavailable(ProviderUnavailable {
            scope: outage.scope.clone(),
            trigger: outage.trigger,
            models: outage.models.clone(),
            clears_at: outage.cause.at.plus_secs(QUIET_SECONDS),
        }),
    }
}

fn recovered(outage: &Outage, end: End) -> Transition {
    Transition {
        id: outage.recovered_id(),
        at: end.cause.at,
        correlation: end.cause.correlation,
        causation: end.cause.event,
        event: TransitionEvent::Recovered(ProviderRecovered {
            scope: outage.scope.clone(),
            by: end.by,
            down_seconds: end.cause.at.micros_since(outage.cause.at) / 1_000_000,
        }),
    }
}
