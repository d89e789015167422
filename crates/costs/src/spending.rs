//! Sums of the projection of costs over the periods and scopes of budgets (decision D46).

use std::ops::RangeInclusive;

use contracts::{InFlight, NanoUsd, Period, PeriodAmounts, SessionId, Spending};
use event_core::Timestamp;

use crate::{Costs, Total};

/// The calls that a sum covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostScope<'a> {
    /// All calls.
    All,
    /// The calls of the sessions in a workspace, by its path.
    Project(&'a str),
    /// The calls of a client of the gateway, by its name.
    Client(&'a str),
    /// The calls of a session.
    Session(&'a SessionId),
}

impl Costs {
    /// Returns the total of a scope in the period that contains `at`, up to `at`. For [`Period::Session`], and for the scope of
    /// a session, the total of all days.
    pub fn total_in(&self, scope: CostScope<'_>, period: Period, at: Timestamp) -> Total {
        let today = at.utc_day();
        let days = period.first_day(today).unwrap_or_default()..=today;
        match scope {
            CostScope::All => self.total_of_days(&days),
            CostScope::Project(name) => self.projects.total(name, &days),
            CostScope::Client(name) => self.clients.total(name, &days),
            CostScope::Session(session) => self.session(session).map(crate::SessionCosts::total).unwrap_or_default(),
        }
    }

    /// Returns the estimated costs of the calls of a scope that were sent and have not ended.
    pub fn in_flight(&self, scope: CostScope<'_>) -> NanoUsd {
        match scope {
            CostScope::All => self.running.sum(|_| true),
            CostScope::Project(name) => {
                let number = self.projects.number_of(name);
                self.running.sum(|call| number.is_some() && call.project == number)
            }
            CostScope::Client(name) => {
                let number = self.clients.number_of(name);
                self.running.sum(|call| number.is_some() && call.client == number)
            }
            CostScope::Session(session) => self.running.sum(|call| call.session == *session),
        }
    }

    /// Returns what was spent by `at`, as a turn of this session, project and client records it.
    pub fn spending(
        &self,
        session: &SessionId,
        project: Option<&str>,
        client: Option<&str>,
        at: Timestamp,
    ) -> Spending {
        let amounts = |scope: Option<CostScope<'_>>| {
            let cost = |period| scope.map(|scope| self.total_in(scope, period, at).cost).unwrap_or_default();
            PeriodAmounts { day: cost(Period::Day), week: cost(Period::Week), month: cost(Period::Month) }
        };
        let running = |scope: Option<CostScope<'_>>| scope.map(|scope| self.in_flight(scope)).unwrap_or_default();
        let (project, client) = (project.map(CostScope::Project), client.map(CostScope::Client));
        let all = amounts(Some(CostScope::All));
        Spending {
            week: all.week,
            month: all.month,
            project: amounts(project),
            client: amounts(client),
            session: self.total_in(CostScope::Session(session), Period::Session, at).cost,
            in_flight: InFlight {
                all: running(Some(CostScope::All)),
                project: running(project),
                client: running(client),
                session: running(Some(CostScope::Session(session))),
            },
        }
    }

    /// Iterates over the workspaces of all sessions with a turn, sorted by path.
    pub fn projects(&self) -> impl Iterator<Item = &str> {
        self.projects.names()
    }

    /// Iterates over the clients of all turns of the gateway, sorted by name.
    pub fn clients(&self) -> impl Iterator<Item = &str> {
        self.clients.names()
    }

    /// Returns the total of all calls that ended on some days.
    fn total_of_days(&self, days: &RangeInclusive<u64>) -> Total {
        self.days.range(days.clone()).map(|(_, total)| total).sum()
    }
}
