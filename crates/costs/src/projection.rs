//! The projection: totals by session, model, role and day.

use std::collections::BTreeMap;

use contracts::{
    ModelId, NanoUsd, SessionId,
    facts::{CallRole, LlmCallCompleted, TurnStarted},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{SessionCosts, Total};

/// What was spent. Its size grows with sessions, workers, models and days, not with calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    overall: Total,
    sessions: BTreeMap<SessionId, SessionCosts>,
    models: BTreeMap<ModelId, Total>,
    roles: BTreeMap<CallRole, Total>,
    days: BTreeMap<u64, Total>,
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

    /// Every model that answered a call, by id.
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

    /// What all calls cost that were answered on a UTC day, counted from 1970-01-01.
    pub fn spent_on_day(&self, day: u64) -> NanoUsd {
        self.days.get(&day).map(|total| total.cost).unwrap_or_default()
    }

    /// What all calls cost that were answered on the UTC day of `at`: since UTC midnight, all sessions, workers
    /// counted once (decision D10).
    pub fn spent_today(&self, at: Timestamp) -> NanoUsd {
        self.spent_on_day(at.utc_day())
    }
}

impl Projection for Costs {
    const NAME: &'static str = "costs";
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(call) = event.read::<LlmCallCompleted>()? {
            self.overall.add(&call);
            self.models.entry(call.model.clone()).or_default().add(&call);
            self.roles.entry(call.role).or_default().add(&call);
            self.days.entry(event.event.at.utc_day()).or_default().add(&call);
            self.sessions.entry(call.session.clone()).or_default().call_completed(&call);
        } else if let Some(turn) = event.read::<TurnStarted>()? {
            self.sessions.entry(turn.session).or_default().turn_started(turn.thread.as_ref());
        }
        Ok(())
    }
}
