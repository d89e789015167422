//! [`SpendingLedger`], amounts by the time at which calls ended, over all calls and by project, client and session.

use std::collections::BTreeMap;

use contracts::{
    Event, NanoUsd, Period, PeriodAmounts, SessionId, Spending, event_subset,
    events::{CostsRetained, TurnStarted},
};
use event_core::{Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

/// Seconds of a day.
const DAY_SECS: u64 = 86_400;

/// Signed amounts in nano-dollars by the time at which calls ended (decision D40): the costs of calls, or the
/// differences between two costs of them. The order in which amounts are added has no effect on sums.
///
/// A call counts towards the project and the client of its session, as in [`Costs`](crate::Costs). The size grows with
/// the number of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SpendingLedger {
    /// The amounts of all calls.
    all: AmountsByTime,
    /// The amounts of each project, by the path of its workspace.
    projects: BTreeMap<String, AmountsByTime>,
    /// The amounts of each client, by the name of the client.
    clients: BTreeMap<String, AmountsByTime>,
    /// The amounts of each session.
    sessions: BTreeMap<SessionId, SessionLedger>,
}

/// The amounts of a session, and the project and client to which its calls are assigned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct SessionLedger {
    /// The amounts of the session's calls.
    amounts: AmountsByTime,
    /// Workspace of the last turn whose workspace is known.
    project: Option<String>,
    /// Client of the last turn whose client is known.
    client: Option<String>,
}

/// Sums of a [`SpendingLedger`] over the calls that ended before a turn started, in nano-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpendingChange {
    /// Sums over all calls.
    all: PeriodChanges,
    /// Sums over the calls of the turn's project.
    project: PeriodChanges,
    /// Sums over the calls of the turn's client.
    client: PeriodChanges,
    /// Sum over the calls of the turn's session.
    session: i64,
}

/// Sums of the current day, week and month, in nano-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PeriodChanges {
    /// Sum since UTC midnight.
    day: i64,
    /// Sum since the start of the week.
    week: i64,
    /// Sum since the start of the month.
    month: i64,
}

/// Amounts by time, with the sum of each UTC day. The computation of a monthly sum therefore reads at most 31 daily
/// sums and the amounts of a single day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct AmountsByTime {
    /// The sum of the amounts of each time.
    times: BTreeMap<Timestamp, i64>,
    /// The sum of the amounts of each day, by the number of the UTC day.
    days: BTreeMap<u64, i64>,
}

impl SpendingLedger {
    /// Assigns the workspace and the client of a turn to the later calls of its session. Unknown ones change nothing.
    pub fn start_turn(&mut self, turn: &TurnStarted) {
        let client = turn.request.as_ref().and_then(|request| request.client.as_deref());
        let session = self.sessions.entry(turn.session.clone()).or_default();
        for (assigned, name) in [(&mut session.project, turn.workspace.as_deref()), (&mut session.client, client)] {
            if let Some(name) = name
                && assigned.as_deref() != Some(name)
            {
                *assigned = Some(name.to_owned());
            }
        }
    }

    /// Adds the amount of a call that ended at `at`, in nano-dollars. An amount of zero is not stored.
    pub fn add(&mut self, session: &SessionId, at: Timestamp, nano: i64) {
        if nano == 0 {
            return;
        }
        self.all.add(at, nano);
        let session = self.sessions.entry(session.clone()).or_default();
        session.amounts.add(at, nano);
        for (groups, name) in [(&mut self.projects, &session.project), (&mut self.clients, &session.client)] {
            let Some(name) = name else { continue };
            match groups.get_mut(name) {
                Some(amounts) => amounts.add(at, nano),
                None => groups.entry(name.clone()).or_default().add(at, nano),
            }
        }
    }

    /// Adds the cost of removed calls of one day, as of calls that ended when the day began.
    fn add_retained(&mut self, retained: &CostsRetained) {
        let at = Timestamp::from_secs(retained.day.saturating_mul(DAY_SECS));
        let nano = i64::try_from(retained.cost.0).unwrap_or(i64::MAX);
        self.all.add(at, nano);
        for (groups, name) in [(&mut self.projects, &retained.project), (&mut self.clients, &retained.client)] {
            if let Some(name) = name {
                groups.entry(name.clone()).or_default().add(at, nano);
            }
        }
    }

    /// Returns the sums of the calls that ended before `at`, as a turn of this session, workspace and client reads
    /// them. Sums of an unknown workspace or client are zero.
    pub fn spent_by(
        &self,
        session: &SessionId,
        project: Option<&str>,
        client: Option<&str>,
        at: Timestamp,
    ) -> SpendingChange {
        let changes =
            |amounts: Option<&AmountsByTime>| amounts.map(|amounts| amounts.periods_before(at)).unwrap_or_default();
        SpendingChange {
            all: self.all.periods_before(at),
            project: changes(project.and_then(|name| self.projects.get(name))),
            client: changes(client.and_then(|name| self.clients.get(name))),
            session: self.sessions.get(session).map_or(0, |session| session.amounts.before(Period::Session, at)),
        }
    }
}

impl SpendingChange {
    /// Adds the sums to the amount of the day over all calls and to the amounts of the other periods and scopes. An
    /// amount does not become negative.
    pub fn add_to(&self, spent_today: &mut NanoUsd, spending: &mut Spending) {
        let Spending { week, month, project, client, session, in_flight: _ } = spending;
        let add = |amount: &mut NanoUsd, nano: i64| *amount = NanoUsd(amount.0.saturating_add_signed(nano));
        let add_periods = |amounts: &mut PeriodAmounts, changes: PeriodChanges| {
            add(&mut amounts.day, changes.day);
            add(&mut amounts.week, changes.week);
            add(&mut amounts.month, changes.month);
        };
        add(spent_today, self.all.day);
        add(week, self.all.week);
        add(month, self.all.month);
        add_periods(project, self.project);
        add_periods(client, self.client);
        add(session, self.session);
    }
}

impl AmountsByTime {
    /// Adds an amount to the sums of its time and of its day.
    fn add(&mut self, at: Timestamp, nano: i64) {
        for sum in [self.times.entry(at).or_default(), self.days.entry(at.utc_day()).or_default()] {
            *sum = sum.saturating_add(nano);
        }
    }

    /// Returns the sum of the amounts before `at` in the period that contains `at`.
    fn before(&self, period: Period, at: Timestamp) -> i64 {
        let today = at.utc_day();
        let first_day = period.first_day(today).unwrap_or_default();
        let earlier_days = self.days.range(first_day..today).map(|(_, nano)| *nano);
        let same_day = self.times.range(Timestamp::from_secs(today * DAY_SECS)..at).map(|(_, nano)| *nano);
        earlier_days.chain(same_day).fold(0, i64::saturating_add)
    }

    /// Returns the sums of the amounts before `at` in the day, week and month that contain `at`.
    fn periods_before(&self, at: Timestamp) -> PeriodChanges {
        PeriodChanges {
            day: self.before(Period::Day, at),
            week: self.before(Period::Week, at),
            month: self.before(Period::Month, at),
        }
    }
}

event_subset! {
    /// The events that amounts by time are computed from.
    pub enum SpendingEvent { CostsRetained, LlmCallCompleted, LlmCallFailed, SkillModelAsked, TurnStarted }
}

impl Projection for SpendingLedger {
    const NAME: &'static str = "spending-ledger";
    const VERSION: u32 = 3;

    type Events = Event;
    type Folded<'a> = SpendingEvent<'a>;

    /// Adds the cost of completed calls, of failed ones that were billed, and of questions about skills.
    fn apply(&mut self, event: SpendingEvent<'_>, recorded: &Recorded) {
        let (session, cost) = match event {
            SpendingEvent::CostsRetained(retained) => return self.add_retained(retained),
            SpendingEvent::LlmCallCompleted(call) => (&call.session, call.cost),
            SpendingEvent::LlmCallFailed(call) => (&call.session, call.cost),
            SpendingEvent::SkillModelAsked(asked) => (&asked.session, asked.cost),
            SpendingEvent::TurnStarted(turn) => return self.start_turn(turn),
        };
        let nano = cost.map_or(0, |cost| i64::try_from(cost.0).unwrap_or(i64::MAX));
        self.add(session, recorded.event.at, nano);
    }
}
