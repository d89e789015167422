//! Removes the contents of old sessions from the log; their decisions and costs are kept as totals. All events keep their
//! positions, ids and hashes, so that the hash chain stays valid.
//!
//! [`plan_retention`] selects the sessions without changing anything, and [`RetentionPlan::execute`] removes them.

mod totals;

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use contracts::{
    ContentHash, SessionId,
    events::{
        LogRetained, SessionCompacted, SessionModelSelected, SessionResumed, SessionStarted, SkillModelAsked,
        SkillRouted, TurnStarted,
    },
};
use event_bus::{Clock, EventLog, PurgeOutcome, SledLog, TextStore};
use event_core::{EventId, EventType as _, NewEvent, Position, Recorded, Timestamp};

use crate::{error::EngineError, exchange::referenced_text, insight::events};
use totals::Totals;

/// The shortest time for which the log keeps everything: a day, in microseconds. Outages follow from calls of the last
/// hours.
const MIN_AGE_MICROS: u64 = 86_400 * 1_000_000;

/// An estimate of the bytes of an event that remain in the journal without its payload.
const REMAINING_BYTES: u64 = 170;

/// The first parts of the kinds of events that stay although they were caused by a call of a removed session: they are
/// not about the session.
const KEPT_KINDS: [&str; 6] = ["provider.", "pattern.", "policy.", "catalogue.", "routing.", "log."];

/// Which sessions are removed. A session of the last day is never removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionScope {
    /// Sessions whose last event is before this time are removed; `None` for no limit of age.
    pub before: Option<Timestamp>,
    /// The oldest sessions are removed until the payloads of the others, with 170 bytes for each event, take at most this
    /// number of bytes; `None` for no limit of size.
    pub max_bytes: Option<u64>,
}

/// The events of one session, and what removing it saves.
#[derive(Debug, Clone, Default)]
struct SessionEvents {
    /// The time of its last event.
    last: Timestamp,
    /// The positions of its events that still have a payload.
    positions: Vec<Position>,
    /// The number of bytes of their payloads.
    bytes: u64,
}

/// A planned retention: the sessions that it would remove.
#[derive(Debug, Clone, Default)]
pub struct RetentionPlan {
    /// The removed sessions.
    sessions: BTreeSet<SessionId>,
    /// The positions of their events.
    positions: BTreeSet<Position>,
    /// The stored texts that only their events refer to.
    removed_texts: BTreeSet<ContentHash>,
    /// The totals of their decisions and costs.
    totals: Totals,
    /// Sessions whose last event is earlier are removed.
    before: Timestamp,
    /// The number of bytes of the payloads that would be removed.
    pub bytes: u64,
}

impl RetentionPlan {
    /// Returns the number of sessions that would be removed.
    pub fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Returns the number of turns of these sessions.
    pub const fn turns(&self) -> u64 {
        self.totals.turns()
    }

    /// Returns the number of events whose payload would be removed.
    pub fn events(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Returns the number of stored texts that would be removed.
    pub fn texts(&self) -> u64 {
        self.removed_texts.len() as u64
    }

    /// Removes the contents of the sessions from the log and the text store, records their totals, and returns the
    /// rewritten log. Does nothing without a session to remove.
    ///
    /// It is safe to interrupt: stored texts are removed first; then the log is replaced by one that has the totals and
    /// not the contents. States of projections are folded again when the log is opened.
    ///
    /// # Errors
    /// [`EngineError::Log`] if the log or the text store cannot be written.
    pub fn execute(
        self,
        log: SledLog,
        texts: &dyn TextStore,
        clock: &dyn Clock,
    ) -> Result<(SledLog, PurgeOutcome), EngineError> {
        let Some(until) = self.positions.last().copied() else { return Ok((log, PurgeOutcome::default())) };
        texts.sweep(&|hash| !self.removed_texts.contains(&ContentHash(hash)))?;
        let (now, head) = (clock.now(), log.head()?);
        let retained = LogRetained {
            before: self.before,
            sessions: self.sessions(),
            turns: self.turns(),
            events: self.events(),
            until,
        };
        let correlation = EventId::derive(&[b"log"]);
        let id = EventId::derive(&[LogRetained::KIND.as_bytes(), &head.0.to_le_bytes()]);
        let mut events = self.totals.seal(now, head)?;
        events.push(NewEvent::new(id, now, correlation, &retained)?);
        Ok(log.purge_and_record(|event| self.positions.contains(&event.position), now, &events)?)
    }
}

/// Plans a retention: selects the sessions that exceed the limits. Changes nothing. Reads the log twice; memory grows with
/// the number of its events, some ten bytes each.
///
/// # Errors
/// [`EngineError::Log`] if the log cannot be read, [`EngineError::Codec`] if an event cannot be decoded.
pub fn plan_retention(log: &dyn EventLog, scope: RetentionScope, now: Timestamp) -> Result<RetentionPlan, EngineError> {
    let mut owners = Owners::default();
    let mut sessions: BTreeMap<SessionId, SessionEvents> = BTreeMap::new();
    let mut log_bytes = 0;
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        log_bytes += event.event.payload.len() as u64 + REMAINING_BYTES;
        if let Some(session) = owners.session_of(&event)? {
            let known = match sessions.get_mut(session) {
                Some(known) => known,
                None => sessions.entry(session.clone()).or_default(),
            };
            known.last = known.last.max(event.event.at);
            known.positions.push(event.position);
            known.bytes += event.event.payload.len() as u64;
        }
    }
    let mut plan = select(sessions, scope, log_bytes, now);
    plan.add_totals(log)?;
    Ok(plan)
}

/// Selects the sessions that exceed the limits, the oldest first. `log_bytes` is the estimated size of the log.
fn select(
    sessions: BTreeMap<SessionId, SessionEvents>,
    scope: RetentionScope,
    log_bytes: u64,
    now: Timestamp,
) -> RetentionPlan {
    let newest = Timestamp(now.0.saturating_sub(MIN_AGE_MICROS));
    let mut oldest_first: Vec<_> = sessions.into_iter().filter(|(_, events)| events.last < newest).collect();
    oldest_first.sort_by_key(|(_, events)| events.last);
    let mut plan = RetentionPlan::default();
    for (session, events) in oldest_first {
        let is_old = scope.before.is_some_and(|before| events.last < before);
        let is_surplus = scope.max_bytes.is_some_and(|max_bytes| max_bytes < log_bytes.saturating_sub(plan.bytes));
        if !is_old && !is_surplus {
            break;
        }
        plan.before = Timestamp(events.last.0.saturating_add(1));
        plan.bytes += events.bytes;
        plan.positions.extend(events.positions);
        plan.sessions.insert(session);
    }
    plan
}

impl RetentionPlan {
    /// Adds the totals of the selected sessions, and the texts that only their events refer to.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    fn add_totals(&mut self, log: &dyn EventLog) -> Result<(), EngineError> {
        let mut kept_texts = BTreeSet::new();
        for event in events(log, Position::ORIGIN) {
            let event = event?;
            let is_removed = self.positions.contains(&event.position);
            match referenced_text(&event) {
                Some(hash) if is_removed => drop(self.removed_texts.insert(hash)),
                Some(hash) => drop(kept_texts.insert(hash)),
                None => {}
            }
            if is_removed {
                self.totals.add(&event)?;
            }
        }
        self.removed_texts = self.removed_texts.difference(&kept_texts).copied().collect();
        Ok(())
    }
}

/// Finds the sessions of events, by the ids of their turns and sessions.
#[derive(Debug, Default)]
struct Owners(BTreeMap<EventId, SessionId>);

impl Owners {
    /// Returns the session that an event is about; `None` if it is about none, or if its payload was removed.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    fn session_of(&mut self, event: &Recorded) -> Result<Option<&SessionId>, EngineError> {
        let (kind, correlation) = (&*event.event.kind, event.event.correlation);
        if event.purged.is_some() || KEPT_KINDS.iter().any(|kept| kind.starts_with(kept)) {
            return Ok(None);
        }
        let vacant = match self.0.entry(correlation) {
            Entry::Occupied(known) => return Ok(Some(known.into_mut())),
            Entry::Vacant(vacant) => vacant,
        };
        let session = match kind {
            TurnStarted::KIND => event.read::<TurnStarted>()?.map(|body| body.session),
            SessionStarted::KIND => event.read::<SessionStarted>()?.map(|body| body.session),
            SessionModelSelected::KIND => event.read::<SessionModelSelected>()?.map(|body| body.session),
            SessionCompacted::KIND => event.read::<SessionCompacted>()?.map(|body| body.session),
            SessionResumed::KIND => event.read::<SessionResumed>()?.map(|body| body.session),
            SkillRouted::KIND => event.read::<SkillRouted>()?.map(|body| body.session),
            SkillModelAsked::KIND => event.read::<SkillModelAsked>()?.map(|body| body.session),
            _ => None,
        };
        Ok(session.map(|session| &*vacant.insert(session)))
    }
}
