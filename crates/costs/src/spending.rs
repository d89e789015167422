//! Sums of the [`Costs`] over the periods and scopes of budgets (decision D46).

use std::ops::RangeInclusive;

use contracts::{InFlight, NanoUsd, Period, PeriodAmounts, SessionId, Spending};
use event_core::Timestamp;

use crate::{CostTotal, Costs};

/// The set of calls over which costs are summed.
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
    /// Returns the total of the calls of a scope that ended in the period that contains `at`. Days after `at` are not
    /// included.
    ///
    /// For [`Period::Session`] and for the scope of a session, returns the total of all days.
    pub fn total_of_scope(&self, scope: CostScope<'_>, period: Period, at: Timestamp) -> CostTotal {
        let today = at.utc_day();
        let days = period.first_day(today).unwrap_or_default()..=today;
        match scope {
            CostScope::All => self.total_of_days(&days),
            CostScope::Project(name) => self.projects.total(name, &days),
            CostScope::Client(name) => self.clients.total(name, &days),
            CostScope::Session(session) => self.session(session).map(crate::SessionCosts::total).unwrap_or_default(),
        }
    }

    /// Returns the sum of the estimated costs of running calls in a scope: calls that were sent and have not ended.
    pub fn in_flight(&self, scope: CostScope<'_>) -> NanoUsd {
        match scope {
            CostScope::All => self.running.sum_where(|_| true),
            CostScope::Project(name) => {
                let number = self.projects.number_of(name);
                self.running.sum_where(|call| number.is_some() && call.project == number)
            }
            CostScope::Client(name) => {
                let number = self.clients.number_of(name);
                self.running.sum_where(|call| number.is_some() && call.client == number)
            }
            CostScope::Session(session) => self.running.sum_where(|call| call.session == *session),
        }
    }

    /// Returns the amounts spent by the time `at` that a new turn records: of all calls, and of the calls of its
    /// session, project and client. The amounts of a project or client of `None` are zero.
    pub fn spending(
        &self,
        session: &SessionId,
        project: Option<&str>,
        client: Option<&str>,
        at: Timestamp,
    ) -> Spending {
        let amounts = |scope: Option<CostScope<'_>>| {
            let cost = |period| scope.map(|scope| self.total_of_scope(scope, period, at).cost).unwrap_or_default();
            PeriodAmounts { day: cost(Period::Day), week: cost(Period::Week), month: cost(Period::Month) }
        };
        let in_flight = |scope: Option<CostScope<'_>>| scope.map(|scope| self.in_flight(scope)).unwrap_or_default();
        let (project, client) = (project.map(CostScope::Project), client.map(CostScope::Client));
        let all_calls = amounts(Some(CostScope::All));
        Spending {
            week: all_calls.week,
            month: all_calls.month,
            project: amounts(project),
            client: amounts(client),
            session: self.total_of_scope(CostScope::Session(session), Period::Session, at).cost,
            in_flight: InFlight {
                all: in_flight(Some(CostScope::All)),
                project: in_flight(project),
                client: in_flight(client),
                session: in_flight(Some(CostScope::Session(session))),
            },
        }
    }

    /// Returns the paths of the workspaces of all turns, in ascending order.
    pub fn projects(&self) -> impl Iterator<Item = &str> {
        self.projects.names()
    }

    /// Returns the names of the clients of all turns, in ascending order.
    pub fn clients(&self) -> impl Iterator<Item = &str> {
        self.clients.names()
    }

    /// Returns the total of all calls that ended on one of these UTC days, counted from 1970-01-01.
    fn total_of_days(&self, days: &RangeInclusive<u64>) -> CostTotal {
        self.days.range(days.clone()).map(|(_, total)| total).sum()
    }
}
