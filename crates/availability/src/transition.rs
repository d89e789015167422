//! [`Transition`], an outage event that is not in the log yet (decision D6).

use contracts::{
    KeyId, OutageScope, Provider,
    events::{ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use event_core::{CodecError, EventId, NewEvent, Timestamp};

use crate::{
    Availability,
    health::Health,
    outage::{End, Outage},
    thresholds::RECOVERY_SECONDS,
};

/// The event of a transition: the start or the end of an outage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransitionEvent {
    /// An outage started.
    Unavailable(ProviderUnavailable),
    /// An outage ended.
    Recovered(ProviderRecovered),
}

impl TransitionEvent {
    /// Returns the model or provider.
    pub const fn scope(&self) -> &OutageScope {
        match self {
            Self::Unavailable(event) => &event.scope,
            Self::Recovered(event) => &event.scope,
        }
    }
}

/// The start or end of an outage, to be appended to the log.
///
/// All fields derive from recorded events, so repeated queries return the same event with the same id, and the log
/// records it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Id of the event, derived from the failure that started the outage.
    pub id: EventId,
    /// The time of the failure or success that caused it, of the automatic recovery, or of a recovery for another
    /// reason.
    pub at: Timestamp,
    /// The turn of the event that caused it.
    pub correlation: EventId,
    /// The id of the event that caused it: the failure, the success, or for other recoveries the start of the outage.
    pub causation: EventId,
    /// The event.
    pub event: TransitionEvent,
}

impl Transition {
    /// Encodes the event for the log.
    ///
    /// # Errors
    /// [`CodecError::Encode`] if it exceeds the payload limit, which the limit on named models prevents.
    pub fn seal(&self) -> Result<NewEvent, CodecError> {
        let sealed = match &self.event {
            TransitionEvent::Unavailable(event) => NewEvent::new(self.id, self.at, self.correlation, event),
            TransitionEvent::Recovered(event) => NewEvent::new(self.id, self.at, self.correlation, event),
        };
        Ok(sealed?.caused_by(self.causation))
    }
}

impl Availability {
    /// Returns the transitions up to `at` that are not in the log, oldest first, models before their provider.
    ///
    /// The start of an outage is returned only while it is active, and its end only if its start is in the log, so past
    /// outages of an import are not announced. Call it after every folded event, and periodically, since outages also
    /// end without an event; it does not change the state.
    pub fn transitions(&self, at: Timestamp) -> Vec<Transition> {
        let providers = self.providers.values();
        let healths = providers.flat_map(|provider| {
            std::iter::once(&provider.health).chain(provider.models.values().map(|model| &model.health))
        });
        let latest = healths.filter_map(|health| missing_transition(health, at));
        let replaced = self.replaced.iter().filter_map(|outage| outage.end.map(|end| outage_end(outage, end)));
        let mut transitions: Vec<_> = replaced.chain(latest).collect();
        transitions.sort_by(|left, right| (left.at, left.event.scope()).cmp(&(right.at, right.event.scope())));
        transitions
    }

    /// Returns the events that end the active outages of a provider and of its models at `at`, for a reason other than
    /// a call. Outages whose start is not in the log are omitted. The state changes only when the events are folded.
    pub fn ends(&self, provider: &Provider, by: RecoveredBy, at: Timestamp) -> Vec<Transition> {
        let Some(provider) = self.providers.get(provider) else { return Vec::new() };
        let healths = std::iter::once(&provider.health).chain(provider.models.values().map(|model| &model.health));
        let active = healths.filter_map(Health::active_outage).filter(|outage| outage.is_unclosed());
        active.map(|outage| outage_end(outage, outage.end_by(by, at))).collect()
    }

    /// Iterates over the providers with an active outage because of a rejected key, with the key.
    pub fn refused_keys(&self) -> impl Iterator<Item = (&Provider, &KeyId)> {
        let outages =
            self.providers.iter().filter_map(|(name, provider)| Some((name, provider.health.active_outage()?)));
        outages.filter_map(|(name, outage)| Some((name, outage.key.as_ref()?)))
    }
}

/// Returns the start or end of the latest outage up to `at` if the log does not contain it.
fn missing_transition(health: &Health, at: Timestamp) -> Option<Transition> {
    let outage = health.latest_outage()?;
    let auto_recovery_at = health.auto_recovery_at();
    let end = outage.end.or_else(|| (auto_recovery_at <= at).then(|| outage.auto_recovery(auto_recovery_at)));
    match end {
        None if !outage.announced => Some(outage_start(outage)),
        Some(end) if outage.is_unclosed() => Some(outage_end(outage, end)),
        _ => None,
    }
}

/// Returns the transition for the start of an outage.
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

/// Returns the transition for the end of an outage.
fn outage_end(outage: &Outage, end: End) -> Transition {
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
