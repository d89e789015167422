//! [`Transition`], the start or end of an outage as an event that is not in the log yet (decision D6).

use contracts::{
    KeyId, OutageScope, Provider,
    events::{ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use event_core::{CodecError, EventId, NewEvent, Timestamp};

use crate::{
    Availability,
    health::Health,
    outage::{Outage, OutageEnd},
    thresholds::RECOVERY_SECONDS,
};

/// The content of a transition: the event of the start or the end of an outage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransitionEvent {
    /// An outage started.
    Unavailable(ProviderUnavailable),
    /// An outage ended.
    Recovered(ProviderRecovered),
}

impl TransitionEvent {
    /// Returns the model or provider of the outage.
    pub const fn scope(&self) -> &OutageScope {
        match self {
            Self::Unavailable(event) => &event.scope,
            Self::Recovered(event) => &event.scope,
        }
    }
}

/// The start or end of an outage, which is to be appended to the log.
///
/// All fields are derived from recorded events, so repeated queries return the same event with the same id, and the log
/// records it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// The id of the event, derived from the failure that started the outage.
    pub id: EventId,
    /// The time of the event: that of the failed or successful call, or that of the recovery.
    pub at: Timestamp,
    /// The correlation id: the turn of the event that caused the transition.
    pub correlation: EventId,
    /// The id of the event that caused the transition: the failed call, the successful call, or for other recoveries
    /// the start of the outage.
    pub causation: EventId,
    /// The content of the event.
    pub event: TransitionEvent,
}

impl Transition {
    /// Encodes the event for the log.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if the event exceeds the size limit of payloads, which the limit on listed models
    /// prevents.
    pub fn seal(&self) -> Result<NewEvent, CodecError> {
        let event = match &self.event {
            TransitionEvent::Unavailable(event) => NewEvent::new(self.id, self.at, self.correlation, event),
            TransitionEvent::Recovered(event) => NewEvent::new(self.id, self.at, self.correlation, event),
        };
        Ok(event?.caused_by(self.causation))
    }
}

impl Availability {
    /// Returns the transitions up to the time `at` that are not in the log, oldest first; of equal times, models
    /// precede their provider. Does not change the state.
    ///
    /// The start of an outage is returned only while it is active, and its end only if the log has its start, so past
    /// outages of an import are not announced. It must be called after every folded event, and periodically, since
    /// outages also end without an event.
    pub fn transitions(&self, at: Timestamp) -> Vec<Transition> {
        let providers = self.providers.values();
        let healths = providers.flat_map(|provider| {
            std::iter::once(&provider.health).chain(provider.models.values().map(|model| &model.health))
        });
        let missing = healths.filter_map(|health| missing_transition(health, at));
        let replaced_ends =
            self.replaced_outages.iter().filter_map(|outage| outage.end.map(|end| outage_end(outage, end)));
        let mut transitions: Vec<_> = replaced_ends.chain(missing).collect();
        transitions.sort_by(|left, right| (left.at, left.event.scope()).cmp(&(right.at, right.event.scope())));
        transitions
    }

    /// Returns the events that end the active outages of a provider and of its models at the time `at`, for a reason
    /// `by` other than a call. Outages whose start is not in the log are omitted. The state changes only when the
    /// events are folded.
    pub fn recovery_transitions(&self, provider: &Provider, by: RecoveredBy, at: Timestamp) -> Vec<Transition> {
        let Some(provider) = self.providers.get(provider) else { return Vec::new() };
        let healths = std::iter::once(&provider.health).chain(provider.models.values().map(|model| &model.health));
        let active = healths.filter_map(Health::active_outage).filter(|outage| outage.is_unclosed());
        active.map(|outage| outage_end(outage, outage.end_by(by, at))).collect()
    }

    /// Returns the providers that have an active outage because they rejected a key, each with the key.
    pub fn refused_keys(&self) -> impl Iterator<Item = (&Provider, &KeyId)> {
        let outages =
            self.providers.iter().filter_map(|(name, provider)| Some((name, provider.health.active_outage()?)));
        outages.filter_map(|(name, outage)| Some((name, outage.key.as_ref()?)))
    }
}

/// Returns the transition of the latest outage that occurred by the time `at` and is not in the log; `None` if nothing
/// is missing. The start of an outage that has already ended is not reported.
fn missing_transition(health: &Health, at: Timestamp) -> Option<Transition> {
    let outage = health.latest_outage()?;
    let auto_recovery_at = health.auto_recovery_at();
    let end = outage.end.or_else(|| (auto_recovery_at <= at).then(|| outage.auto_recovery(auto_recovery_at)));
    match end {
        None if !outage.is_start_recorded => Some(outage_start(outage)),
        Some(end) if outage.is_unclosed() => Some(outage_end(outage, end)),
        _ => None,
    }
}

/// Creates the event that records the start of an outage, with its id, time, cause and correlation id.
fn outage_start(outage: &Outage) -> Transition {
    Transition {
        id: outage.unavailable_id(),
        at: outage.cause.at,
        correlation: outage.cause.correlation,
        causation: outage.cause.event,
        event: TransitionEvent::Unavailable(ProviderUnavailable {
            scope: outage.scope.clone(),
            trigger: outage.trigger,
            models: outage.models.clone(),
            clears_at: outage.cause.at.plus_secs(RECOVERY_SECONDS),
            key: outage.key.clone(),
        }),
    }
}

/// Creates the event that records the end of an outage, with its id, time, cause and correlation id.
fn outage_end(outage: &Outage, end: OutageEnd) -> Transition {
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
