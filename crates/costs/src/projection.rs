//! The projection: totals by session, model, role and day.

use std::collections::BTreeMap;

use contracts::{
    BySession, ModelId, NanoUsd, SessionId, ThreadId,
    events::{CallRole, LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{LatestDay, SessionCosts, Total};

/// What was spent. Its size grows with sessions, workers, models and days, not with calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    overall: Total,
    sessions: BySession<SessionCosts>,
    models: BTreeMap<ModelId, Total>,
    roles: BTreeMap<CallRole, Total>,
    days: BTreeMap<u64, Total>,
    latest_day: LatestDay,
}

impl Costs {
    /// All calls.
    pub const fn overall(&self) -> Total {
        self.overall
    }

    /// What a session spent, if it was ever seen.
    pub fn session(&self, session: &SessionId) -> Option<&SessionCosts> {
        self.sessions.get(session)
    }

    /// Every session, by id. Costs as much as putting them in that order.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &SessionCosts)> {
        self.sessions.iter()
    }

    /// Every model that was paid for a call, by id.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Total)> {
        self.models.iter()
    }

    /// The calls of one role.
    pub fn role(&self, role: CallRole) -> Total {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Every UTC day with a call, counted from 1970-01-01, oldest first.
    pub fn days(&self) -> impl Iterator<Item = (u64, &Total)> {
        self.days.iter().map(|(day, total)| (*day, total))
    }

    /// What all calls cost that ended on a UTC day, counted from 1970-01-01.
    pub fn spent_on_day(&self, day: u64) -> NanoUsd {
        self.days.get(&day).map(|total| total.cost).unwrap_or_default()
    }

    /// What all calls cost that ended on the UTC day of `at`: since UTC midnight, all sessions, workers
    /// counted once (decision D10).
    pub fn spent_today(&self, at: Timestamp) -> NanoUsd {
        self.spent_on_day(at.utc_day())
    }

    /// What was spent on the latest UTC day with a call, by model and by role; `None` before the first call.
    pub fn latest_day(&self) -> Option<&LatestDay> {
        Some(&self.latest_day).filter(|latest| !latest.models.is_empty())
    }

    fn billed(&mut self, bill: &Bill<'_>) {
        let Bill { session, thread, role, model, at, call } = bill;
        self.overall.add(call);
        self.roles.entry(*role).or_default().add(call);
        self.days.entry(at.utc_day()).or_default().add(call);
        self.latest_day.billed(at.utc_day(), *role, model, call);
        match self.models.get_mut(*model) {
            Some(known) => known.add(call),
            None => drop(self.models.insert((*model).clone(), *call)),
        }
        // Sessions share the name that came first: each event brings a copy of its own.
        let model = self.models.get_key_value(*model).map_or(*model, |(known, _)| known);
        self.sessions.entry(session).billed(*role, *thread, model, call);
    }
}

/// A call that is billed.
struct Bill<'a> {
    session: &'a SessionId,
    thread: Option<&'a ThreadId>,
    role: CallRole,
    model: &'a ModelId,
    at: Timestamp,
    call: Total,
}

impl Projection for Costs {
    const NAME: &'static str = "costs";
    const VERSION: u32 = 3;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let at = event.event.at;
        if let Some(body) = event.view::<LlmCallCompleted>()? {
            let call = Total::of_call(body.usage, body.cost);
            let (session, thread, role, model) = (&body.session, body.thread.as_ref(), body.role, &body.model);
            self.billed(&Bill { session, thread, role, model, at, call });
        } else if let Some(body) = event.view::<LlmCallFailed>()? {
            if let Some(usage) = body.usage {
                let call = Total::of_call(usage, body.cost);
                let (session, thread, role, model) = (&body.session, body.thread.as_ref(), body.role, &body.model);
                self.billed(&Bill { session, thread, role, model, at, call });
            }
        } else if let Some(turn) = event.view::<TurnStarted>()? {
            self.sessions.entry(&turn.session).turn_started(turn.thread.as_ref());
        }
        Ok(())
    }
}
