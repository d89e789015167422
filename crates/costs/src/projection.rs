//! The projection: totals by session, model, role and day.

use std::collections::BTreeMap;

use contracts::{
    ModelId, NanoUsd, SessionId,
    facts::{CallRole, LlmCallCompleted, LlmCallFailed, TurnStarted},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{LatestDay, Line, SessionCosts, Total};

/// What was spent. Its size grows with sessions, workers, models and days, not with calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    overall: Total,
    sessions: BTreeMap<SessionId, SessionCosts>,
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

    /// Every session, by id.
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

    fn billed(&mut self, session: &SessionId, line: Line, model: &ModelId, at: Timestamp, call: &Total) {
        self.overall.add(call);
        self.models.entry(model.clone()).or_default().add(call);
        self.roles.entry(line.role).or_default().add(call);
        self.days.entry(at.utc_day()).or_default().add(call);
        self.latest_day.billed(at.utc_day(), line.role, model, call);
        self.sessions.entry(session.clone()).or_default().billed(line, model.clone(), call);
    }
}

impl Projection for Costs {
    const NAME: &'static str = "costs";
    const VERSION: u32 = 3;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let at = event.event.at;
        if let Some(call) = event.view::<LlmCallCompleted>()? {
            let line = Line { role: call.role, thread: call.thread.clone() };
            self.billed(&call.session, line, &call.model, at, &Total::of_call(call.usage, call.cost));
        } else if let Some(call) = event.view::<LlmCallFailed>()? {
            if let Some(usage) = call.usage {
                let line = Line { role: call.role, thread: call.thread.clone() };
                self.billed(&call.session, line, &call.model, at, &Total::of_call(usage, call.cost));
            }
        } else if let Some(turn) = event.view::<TurnStarted>()? {
            self.sessions.entry(turn.session.clone()).or_default().turn_started(turn.thread.as_ref());
        }
        Ok(())
    }
}
