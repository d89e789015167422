//! [`Costs`], the projection of totals by session, model, role and day.

use std::collections::BTreeMap;

use contracts::{
    BySession, CallRole, ModelId, NanoUsd, SessionId, Thread,
    events::{LlmCallCompleted, LlmCallFailed, LlmCallStarted, TurnEnded, TurnStarted},
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    LatestDay, SessionCosts, Total,
    groups::Groups,
    in_flight::{RunningCall, RunningCalls},
};

/// Totals of all calls. Its size grows with the number of sessions, workers, models and days, not of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    /// Total of all calls.
    overall: Total,
    /// Costs of each session.
    sessions: BySession<SessionCosts>,
    /// Total of each model.
    models: BTreeMap<ModelId, Total>,
    /// Total of each role.
    roles: BTreeMap<CallRole, Total>,
    /// Total of each UTC day, counted from 1970-01-01.
    pub(crate) days: BTreeMap<u64, Total>,
    /// Totals of each project, the workspace of a session, by day.
    pub(crate) projects: Groups,
    /// Totals of each client of the gateway, by day.
    pub(crate) clients: Groups,
    /// Calls that were sent and have not ended.
    pub(crate) running: RunningCalls,
    /// Totals of the latest day by model and role.
    latest_day: LatestDay,
}

impl Costs {
    /// Returns the total of all calls.
    pub const fn overall(&self) -> Total {
        self.overall
    }

    /// Returns the costs of a session; `None` if it has neither a call nor a turn.
    pub fn session(&self, session: &SessionId) -> Option<&SessionCosts> {
        self.sessions.get(session)
    }

    /// Returns the costs of all sessions in the order of their ids. Sorts them on each call.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &SessionCosts)> {
        self.sessions.iter()
    }

    /// Returns the total of each model, in the order of their ids.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &Total)> {
        self.models.iter()
    }

    /// Returns the total of a role; zero without calls.
    pub fn role(&self, role: CallRole) -> Total {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Returns the total of each UTC day with a call, oldest first, with the day in days since 1970-01-01.
    pub fn days(&self) -> impl Iterator<Item = (u64, &Total)> {
        self.days.iter().map(|(day, total)| (*day, total))
    }

    /// Returns the cost of all calls that ended on a UTC day, in days since 1970-01-01; zero without calls.
    pub fn spent_on_day(&self, day: u64) -> NanoUsd {
        self.days.get(&day).map(|total| total.cost).unwrap_or_default()
    }

    /// Returns the cost of all calls that ended on the UTC day of `at`, over all sessions, with calls of workers
    /// counted once (decision D10).
    pub fn spent_today(&self, at: Timestamp) -> NanoUsd {
        self.spent_on_day(at.utc_day())
    }

    /// Returns the costs of the latest UTC day with a call, by model and by role; `None` before the first call.
    pub fn latest_day(&self) -> Option<&LatestDay> {
        Some(&self.latest_day).filter(|latest| !latest.models.is_empty())
    }

    /// Adds a call to the overall total and to the totals of its session, model, role and day.
    fn add_call(&mut self, billed_call: &BilledCall<'_>) {
        let BilledCall { session, thread, model, at, call } = billed_call;
        let role = thread.role();
        self.overall.add(call);
        self.roles.entry(role).or_default().add(call);
        self.days.entry(at.utc_day()).or_default().add(call);
        self.latest_day.add_call(at.utc_day(), role, model, call);
        match self.models.get_mut(*model) {
            Some(known) => known.add(call),
            None => drop(self.models.insert((*model).clone(), *call)),
        }
        // Sessions share one copy of the model id, since each event contains its own.
        let model = self.models.get_key_value(*model).map_or(*model, |(known, _)| known);
        let costs = self.sessions.entry(session);
        costs.add_call(thread, model, call);
        if let Some(project) = costs.project {
            self.projects.add(project, at.utc_day(), call);
        }
        if let Some(client) = costs.client {
            self.clients.add(client, at.utc_day(), call);
        }
    }
}

/// A call that the provider bills, with the session, role, model and time under which it is counted.
struct BilledCall<'a> {
    /// Session of the call.
    session: &'a SessionId,
    /// Thread of the call.
    thread: &'a Thread,
    /// Model of the call.
    model: &'a ModelId,
    /// End of the call.
    at: Timestamp,
    /// Usage and cost of the call.
    call: Total,
}

impl Projection for Costs {
    const NAME: &'static str = "costs";
    const VERSION: u32 = 5;

    /// Adds completed calls, and failed ones whose usage was reported, and counts turns. Other events have no effect.
    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let at = event.event.at;
        if let Some(body) = event.view::<LlmCallCompleted>()? {
            let call = Total::of_call(body.usage, body.cost);
            let (session, thread, model) = (&body.session, &body.thread, &body.model);
            self.add_call(&BilledCall { session, thread, model, at, call });
            self.running.end(body.turn);
        } else if let Some(body) = event.view::<LlmCallFailed>()? {
            self.running.end(body.turn);
            if let Some(usage) = body.usage {
                let call = Total::of_call(usage, body.cost);
                let (session, thread, model) = (&body.session, &body.thread, &body.model);
                self.add_call(&BilledCall { session, thread, model, at, call });
            }
        } else if let Some(turn) = event.view::<TurnStarted>()? {
            let project = turn.workspace.as_deref().map(|path| self.projects.number(path));
            let client = turn.request.as_ref().and_then(|request| request.client.as_deref());
            let client = client.map(|name| self.clients.number(name));
            let costs = self.sessions.entry(&turn.session);
            costs.count_turn(&turn.thread);
            costs.project = project.or(costs.project);
            costs.client = client.or(costs.client);
        } else if let Some(body) = event.view::<LlmCallStarted>()? {
            if let Some(cost) = body.estimated_cost {
                let costs = self.sessions.entry(&body.session);
                let (session, project, client) = (body.session.clone(), costs.project, costs.client);
                self.running.start(body.turn, RunningCall { session, project, client, cost });
            }
        } else if let Some(body) = event.view::<TurnEnded>()? {
            self.running.end_turn(body.turn);
        }
        Ok(())
    }
}
