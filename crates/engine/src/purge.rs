//! Removes private text on the user's request: the texts of users and models are removed; all events and decisions
//! stay.
//!
//! [`plan_purge`] finds the texts without changing anything, and [`PurgePlan::execute`] removes them.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ContentHash, SessionId, TurnId, catalogue,
    events::{LogPurged, Sensitivity, SkillPromptRecorded, SkillRouted, TurnStarted, TurnTextRecorded},
};
use event_bus::{Clock, EventLog, Expected, PurgeOutcome, SledLog, TextStore};
use event_core::{EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{error::EngineError, exchange::referenced_text, insight::events};

/// The filter for texts that a purge removes: texts that satisfy all limits. Without a limit, all private texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeScope {
    /// Only texts of events from before this time, which is excluded; `None` for no limit.
    pub before: Option<Timestamp>,
    /// Only texts of this session; `None` for no limit.
    pub session: Option<SessionId>,
}

/// A planned purge of private texts: the texts that it would remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgePlan {
    /// The filter that the plan was made for.
    scope: PurgeScope,
    /// The positions of the events whose payload would be removed.
    positions: BTreeSet<Position>,
    /// The hashes of stored texts that other events refer to; they are not removed.
    kept_texts: BTreeSet<ContentHash>,
    /// The hashes of stored texts that only the selected events refer to; they are removed.
    removed_texts: BTreeSet<ContentHash>,
    /// Whether the log has events of an unknown kind or version, which may also refer to texts.
    has_unknown_events: bool,
    /// The length of all payloads that would be removed, in bytes.
    pub bytes: u64,
}

impl PurgePlan {
    /// Returns the number of events whose payload, which contains private text, would be removed.
    pub fn events(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Returns the number of stored texts that would be removed: texts to which only selected events refer.
    pub fn texts(&self) -> u64 {
        self.removed_texts.len() as u64
    }
}

/// Plans a purge: finds the private texts in a log that satisfy a filter. Changes nothing.
///
/// # Errors
/// [`EngineError::UnknownSession`] if the log has no such session, [`EngineError::Log`] if it cannot be read.
pub fn plan_purge(log: &dyn EventLog, scope: PurgeScope) -> Result<PurgePlan, EngineError> {
    let mut plan = PurgePlan { scope, ..PurgePlan::default() };
    let mut sessions: BTreeMap<TurnId, SessionId> = BTreeMap::new();
    let mut is_session_known = false;
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if let Ok(Some(started)) = event.read::<TurnStarted>() {
            is_session_known |= plan.scope.session.as_ref() == Some(&started.session);
            sessions.insert(started.turn, started.session);
        } else if let Ok(Some(routed)) = event.read::<SkillRouted>() {
            is_session_known |= plan.scope.session.as_ref() == Some(&routed.session);
        }
        plan.has_unknown_events |= catalogue::find_kind(&event.event.kind, event.event.version).is_none();
        let is_selected = plan.selects(&event, &sessions);
        match referenced_text(&event) {
            Some(hash) if is_selected => drop(plan.removed_texts.insert(hash)),
            Some(hash) => drop(plan.kept_texts.insert(hash)),
            None => {}
        }
        if event.purged.is_none() && is_selected {
            plan.positions.insert(event.position);
            plan.bytes += event.event.payload.len() as u64;
        }
    }
    if let Some(session) = &plan.scope.session
        && !is_session_known
    {
        return Err(EngineError::UnknownSession(session.to_string()));
    }
    plan.removed_texts = plan.removed_texts.difference(&plan.kept_texts).copied().collect();
    Ok(plan)
}

impl PurgePlan {
    /// Returns whether an event has private text that satisfies the filter. `sessions` maps the turns that started
    /// before the event to their sessions.
    fn selects(&self, event: &Recorded, sessions: &BTreeMap<TurnId, SessionId>) -> bool {
        let spec = catalogue::find_kind(&event.event.kind, event.event.version);
        if spec.is_none_or(|spec| spec.sensitivity != Sensitivity::Private) {
            return false;
        }
        let is_before = self.scope.before.is_none_or(|before| event.event.at < before);
        let is_of_session = self.scope.session.as_ref().is_none_or(|wanted| {
            if let Ok(Some(prompt)) = event.read::<SkillPromptRecorded>() {
                return prompt.session == *wanted;
            }
            let text = event.read::<TurnTextRecorded>().ok().flatten();
            text.and_then(|text| sessions.get(&text.turn)).is_some_and(|session| session == wanted)
        });
        is_before && is_of_session
    }

    /// Removes the planned texts from the text store and the log, records the purge, and returns the rewritten log.
    ///
    /// The order makes it safe to interrupt: stored texts are removed first, then the event is recorded, then the log
    /// is rewritten. Until then the events still refer to the removed texts, and purging again completes it. Without
    /// limits, stored texts that no event refers to are removed as well, unless the log has events of unknown kinds.
    ///
    /// # Errors
    /// [`EngineError::Log`] if the log or the text store cannot be written.
    pub fn execute(
        self,
        log: SledLog,
        texts: &dyn TextStore,
        clock: &dyn Clock,
    ) -> Result<(SledLog, PurgeOutcome), EngineError> {
        let remove_unreferenced = self.scope == PurgeScope::default() && !self.has_unknown_events;
        let removed = texts.sweep(&|hash| {
            let hash = ContentHash(hash);
            !self.removed_texts.contains(&hash) && (!remove_unreferenced || self.kept_texts.contains(&hash))
        })?;
        if removed != 0 || !self.positions.is_empty() {
            let PurgeScope { before, session } = self.scope.clone();
            let event = LogPurged { events: self.events(), texts: removed, before, session };
            let now = clock.now();
            let id = EventId::derive(&[b"log.purged", &now.0.to_le_bytes()]);
            let event = NewEvent::new(id, now, EventId::derive(&[b"log"]), &event)?;
            log.append(Expected::Any, now, &[event])?;
            log.sync()?;
        }
        Ok(log.purge(|event| self.positions.contains(&event.position))?)
    }
}
