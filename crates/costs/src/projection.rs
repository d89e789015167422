//! [`Costs`], the projection of totals by session, model, role and day.

use std::{cmp::Reverse, collections::BTreeMap};

use contracts::{
    CallRole, Event, ModelId, NanoUsd, SessionId, Thread, event_subset,
    events::{CostsRetained, TurnStarted},
};
use event_core::{Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    CostTotal, LatestDay, SessionCosts,
    group_totals::GroupTotals,
    in_flight::{RunningCall, RunningCalls},
};

/// The projection of the usage and costs of all model calls: totals by session, model, role, project, client and day.
/// Memory grows with the number of these groups, not of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    /// Total of all calls.
    overall: CostTotal,
    /// Costs of each session.
    sessions: BTreeMap<SessionId, Box<SessionCosts>>,
    /// Total of each model.
    models: BTreeMap<ModelId, CostTotal>,
    /// Total of each role.
    roles: BTreeMap<CallRole, CostTotal>,
    /// Total of each UTC day, counted from 1970-01-01.
    pub(crate) days: BTreeMap<u64, CostTotal>,
    /// Totals of each project, the workspace of a session, by day.
    pub(crate) projects: GroupTotals,
    /// Totals of each client of the gateway, by day.
    pub(crate) clients: GroupTotals,
    /// Calls that were sent and have not ended.
    pub(crate) running: RunningCalls,
    /// Totals of the latest day by model and role.
    latest_day: LatestDay,
}

impl Costs {
    /// Returns the total of all calls.
    pub const fn overall(&self) -> CostTotal {
        self.overall
    }

    /// Returns the costs of a session; `None` if the log has neither a call nor a turn of it, or if they are not in
    /// memory.
    pub fn session(&self, session: &SessionId) -> Option<&SessionCosts> {
        self.sessions.get(session).map(|costs| &**costs)
    }

    /// Returns the costs of all sessions in memory in the order of their ids.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &SessionCosts)> {
        self.sessions.iter().map(|(session, costs)| (session, &**costs))
    }

    /// Returns the sessions in memory that spent most, at most `count`, with the largest cost first. Sessions without a
    /// cost are not included.
    pub fn largest_sessions(&self, count: usize) -> Vec<&SessionId> {
        let costs = self.sessions.iter().map(|(session, costs)| (Reverse(costs.total().cost), session));
        let mut sessions: Vec<_> = costs.filter(|(Reverse(cost), _)| *cost != NanoUsd(0)).collect();
        sessions.sort_unstable();
        sessions.into_iter().take(count).map(|(_, session)| session).collect()
    }

    /// Removes the costs of a session from memory and returns them; `None` if there are none. Totals over several
    /// sessions do not change. [`Costs::restore_session`] must follow before the next event of the session is folded.
    pub fn remove_session(&mut self, session: &SessionId) -> Option<Box<SessionCosts>> {
        self.sessions.remove(session)
    }

    /// Adds the costs of a session that [`Costs::remove_session`] returned.
    pub fn restore_session(&mut self, session: SessionId, costs: Box<SessionCosts>) {
        self.sessions.insert(session, costs);
    }

    /// Returns the total of each model, in the order of their ids.
    pub fn models(&self) -> impl Iterator<Item = (&ModelId, &CostTotal)> {
        self.models.iter()
    }

    /// Returns the total of all calls of a role (main, sub-agent or auxiliary); zero without calls.
    pub fn role(&self, role: CallRole) -> CostTotal {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Returns the total of each UTC day with a call, oldest first, with the day in days since 1970-01-01.
    pub fn days(&self) -> impl Iterator<Item = (u64, &CostTotal)> {
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

    /// Adds a billed call to all totals it belongs to: overall, session, model, role, day, project and client.
    fn add_call(&mut self, billed_call: &BilledCall<'_>) {
        let BilledCall { session, thread, model, at, call } = billed_call;
        self.add_to_totals(at.utc_day(), thread.role(), model, call);
        // Sessions share one copy of the model id, since each event contains its own.
        let model = self.models.get_key_value(*model).map_or(*model, |(known, _)| known);
        let costs = self.sessions.entry((*session).clone()).or_default();
        costs.add_call(thread, model, call);
        if let Some(project) = costs.project {
            self.projects.add(project, at.utc_day(), call);
        }
        if let Some(client) = costs.client {
            self.clients.add(client, at.utc_day(), call);
        }
    }

    /// Adds the usage and cost of calls of one UTC day, role and model to the totals over all sessions.
    fn add_to_totals(&mut self, day: u64, role: CallRole, model: &ModelId, calls: &CostTotal) {
        self.overall.add(calls);
        self.roles.entry(role).or_default().add(calls);
        self.days.entry(day).or_default().add(calls);
        self.latest_day.add_call(day, role, model, calls);
        match self.models.get_mut(model) {
            Some(total) => total.add(calls),
            None => drop(self.models.insert(model.clone(), *calls)),
        }
    }

    /// Adds the total of calls whose events were removed from the log. Their sessions have no costs any more.
    fn apply_retained(&mut self, retained: &CostsRetained) {
        let total = CostTotal::from_retained(retained);
        self.add_to_totals(retained.day, retained.role, &retained.model, &total);
        for (groups, name) in [(&mut self.projects, &retained.project), (&mut self.clients, &retained.client)] {
            if let Some(name) = name {
                let number = groups.number_or_insert(name);
                groups.add(number, retained.day, &total);
            }
        }
    }

    /// Counts a turn of its session, and records the project and the client that later calls of the session belong to.
    fn apply_turn_started(&mut self, turn: &TurnStarted) {
        let project = turn.workspace.as_deref().map(|path| self.projects.number_or_insert(path));
        let client = turn.request.as_ref().and_then(|request| request.client.as_deref());
        let client = client.map(|name| self.clients.number_or_insert(name));
        let costs = self.sessions.entry(turn.session.clone()).or_default();
        costs.count_turn(&turn.thread);
        costs.project = project.or(costs.project);
        costs.client = client.or(costs.client);
    }
}

/// A call that the provider bills, with the properties by which its cost is counted.
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
    call: CostTotal,
}

event_subset! {
    /// The events from which [`Costs`] computes its totals.
    pub enum CostEvent {
        CostsRetained,
        LlmCallCompleted,
        LlmCallFailed,
        LlmCallStarted,
        SkillModelAsked,
        TurnEnded,
        TurnStarted,
    }
}

impl Projection for Costs {
    const NAME: &'static str = "costs";
    const VERSION: u32 = 7;
    type Events = Event;
    type Folded<'a> = CostEvent<'a>;

    /// Adds completed calls, failed calls whose usage was reported, and questions about skills, to the totals; counts turns; and updates the
    /// running calls. Other events have no effect.
    fn apply(&mut self, event: CostEvent<'_>, recorded: &Recorded) {
        let at = recorded.event.at;
        match event {
            CostEvent::CostsRetained(body) => self.apply_retained(body),
            CostEvent::LlmCallCompleted(body) => {
                let call = CostTotal::from_call(body.usage, body.cost);
                let (session, thread, model) = (&body.session, &body.thread, &body.model);
                self.add_call(&BilledCall { session, thread, model, at, call });
                self.running.remove_oldest(body.turn);
            }
            CostEvent::LlmCallFailed(body) => {
                self.running.remove_oldest(body.turn);
                if let Some(usage) = body.usage {
                    let call = CostTotal::from_call(usage, body.cost);
                    let (session, thread, model) = (&body.session, &body.thread, &body.model);
                    self.add_call(&BilledCall { session, thread, model, at, call });
                }
            }
            CostEvent::LlmCallStarted(body) => {
                if let Some(cost) = body.estimated_cost {
                    let costs = self.sessions.entry(body.session.clone()).or_default();
                    let (session, project, client) = (body.session.clone(), costs.project, costs.client);
                    self.running.add(body.turn, RunningCall { session, project, client, cost });
                }
            }
            CostEvent::SkillModelAsked(body) => {
                if let Some(usage) = body.usage {
                    let call = CostTotal::from_call(usage, body.cost);
                    let (session, thread, model) = (&body.session, &Thread::SkillRouting, &body.model);
                    self.add_call(&BilledCall { session, thread, model, at, call });
                }
            }
            CostEvent::TurnEnded(body) => self.running.remove_turn(body.turn),
            CostEvent::TurnStarted(turn) => self.apply_turn_started(turn),
        }
    }
}
