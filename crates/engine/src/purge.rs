//! Removes private text on the user's request: texts of users and models are removed, and all decisions about them
//! stay.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ContentHash, SessionId, TurnId, catalogue,
    events::{LogPurged, Sensitivity, TurnStarted, TurnTextRecorded},
};
use event_bus::{Clock, EventLog, Expected, PurgeOutcome, SledLog, TextStore};
use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{error::EngineError, exchange::named_text, insight::events};

/// The filter for texts to remove; without limits all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeScope {
    /// Only texts from before this time.
    pub before: Option<Timestamp>,
    /// Only texts of this session.
    pub session: Option<SessionId>,
}

/// A planned purge: the texts that it would remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgePlan {
    scope: PurgeScope,
    positions: BTreeSet<Position>,
    kept_texts: BTreeSet<ContentHash>,
    gone_texts: BTreeSet<ContentHash>,
    /// Whether an event of an unknown kind or version may also refer to texts.
    unread: bool,
    /// The bytes of text in events.
    pub bytes: u64,
}

impl PurgePlan {
    /// The number of events whose text would be removed.
    pub fn events(&self) -> u64 {
        self.positions.len() as u64
    }

    /// The number of stored texts that only those events refer to.
    pub fn texts(&self) -> u64 {
        self.gone_texts.len() as u64
    }
}

/// Plans a purge: finds the private texts within a scope. Changes nothing.
///
/// # Errors
/// [`EngineError::UnknownSession`] if the log has no such session, [`EngineError::Log`] if it cannot be read.
pub fn plan_purge(log: &dyn EventLog, scope: PurgeScope) -> Result<PurgePlan, EngineError> {
    let mut plan = PurgePlan { scope, ..PurgePlan::default() };
    let mut sessions: BTreeMap<TurnId, SessionId> = BTreeMap::new();
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if let Ok(Some(started)) = event.read::<TurnStarted>() {
            sessions.insert(started.turn, started.session);
        }
        plan.unread |= catalogue::find(&event.event.kind, event.event.version).is_none();
        let text = named_text(&event).map(|hash| (hash, plan.covers(&event, &sessions)));
        match text {
            Some((hash, true)) => drop(plan.gone_texts.insert(hash)),
            Some((hash, false)) => drop(plan.kept_texts.insert(hash)),
            None => {}
        }
        if event.purged.is_none() && plan.covers(&event, &sessions) {
            plan.positions.insert(event.position);
            plan.bytes += event.event.payload.len() as u64;
        }
    }
    if let Some(session) = &plan.scope.session
        && !sessions.values().any(|known| known == session)
    {
        return Err(EngineError::UnknownSession(session.to_string()));
    }
    plan.gone_texts = plan.gone_texts.difference(&plan.kept_texts).copied().collect();
    Ok(plan)
}

impl PurgePlan {
    fn covers(&self, event: &Recorded, sessions: &BTreeMap<TurnId, SessionId>) -> bool {
        let spec = catalogue::find(&event.event.kind, event.event.version);
        if spec.is_none_or(|spec| spec.sensitivity != Sensitivity::Private) {
            return false;
        }
        let early = self.scope.before.is_none_or(|before| event.event.at < before);
        let session = self.scope.session.as_ref().is_none_or(|wanted| {
            let text = event.read::<TurnTextRecorded>().ok().flatten();
            text.and_then(|text| sessions.get(&text.turn)).is_some_and(|session| session == wanted)
        });
        early && session
    }

    /// Removes the planned texts from the open log, and records the purge.
    ///
    /// The order makes it safe to interrupt: stored texts are removed first, then the event is recorded, then the log
    /// is rewritten. Until then the events still refer to the removed texts, and purging again completes it. Without
    /// limits, stored texts that no event refers to are removed as well, unless the log has events of unknown kinds.
    ///
    /// # Errors
    /// [`EngineError::Log`] if something cannot be written.
    pub fn execute(
        self,
        log: SledLog,
        texts: &dyn TextStore,
        clock: &dyn Clock,
    ) -> Result<(SledLog, PurgeOutcome), EngineError> {
        let everything = self.scope == PurgeScope::default() && !self.unread;
        let swept = texts.sweep(&|hash| {
            let hash = ContentHash(hash);
            !self.gone_texts.contains(&hash) && (!everything || self.kept_texts.contains(&hash))
        })?;
        if swept != 0 || !self.positions.is_empty() {
            let PurgeScope { before, session } = self.scope.clone();
            let event = LogPurged { events: self.events(), texts: swept, before, session };
            let now = clock.now();
            let id = EventId::derive(&[b"log.purged", &now.0.to_le_bytes()]);
            let event = NewEvent::new(id, now, EventId::derive(&[b"log"]), &event)?;
            log.append(Expected::Any, now, &[event])?;
            log.sync()?;
        }
        Ok(log.purge(|event| self.positions.contains(&event.position))?)
    }
}
