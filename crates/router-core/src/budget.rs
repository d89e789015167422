//! Budgets of the policy: whether one is spent when a turn starts (decision D46).

use std::fmt;

use contracts::{NanoUsd, Period, PeriodAmounts, Reason, SpentLimit, Turn};
use event_core::Timestamp;

use crate::{policy::Candidates, utc::utc_minute};

/// The share of a limit from which a banner warns, in percent.
const WARNING_PERCENT: u128 = 80;

/// A limit of what may be spent in a period.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The name of the budget, or `budget_` and its index if it has none.
    pub name: String,
    /// The amount that may be spent in the period.
    pub limit: NanoUsd,
    /// The period; [`Period::Session`] for budgets of sessions.
    pub period: Period,
    /// The calls that count.
    pub scope: BudgetScope,
    /// What happens when the limit is reached.
    pub on_reached: OnReached,
}

/// The calls that count towards a budget. Without a name, each project or client has the limit for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetScope {
    /// All calls.
    All,
    /// The calls of a project, by the path of its workspace.
    Project(Option<String>),
    /// The calls of a client of the gateway, by its name.
    Client(Option<String>),
    /// The calls of a session; every session has the limit for itself.
    Session,
}

/// What happens to turns while a budget is spent.
#[derive(Debug, Clone)]
pub enum OnReached {
    /// They are refused.
    Refuse,
    /// They are served as usual, with a banner.
    Warn,
    /// They are served by the first of these models that can serve them, or else refused.
    Use(
        /// The models.
        ModelList,
    ),
}

/// Models that are tried in order.
#[derive(Debug, Clone)]
pub struct ModelList(pub(crate) Candidates);

/// What a turn finds of a budget that applies to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetState {
    /// The name of the budget.
    pub name: String,
    /// What the budget covers in words: `all sessions`, `the project /shop`.
    pub subject: String,
    /// The limit with its period.
    pub limit: SpentLimit,
    /// Amount spent in the period.
    pub spent: NanoUsd,
    /// Estimated costs of calls that have not ended.
    pub in_flight: NanoUsd,
    /// End of the period; `None` for a session.
    pub resets_at: Option<Timestamp>,
}

impl BudgetScope {
    /// Returns the name used in policies.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Project(_) => "project",
            Self::Client(_) => "client",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for OnReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => f.write_str("refuse"),
            Self::Warn => f.write_str("warn"),
            Self::Use(models) => {
                let ids: Vec<_> = models.0.ids().map(contracts::ModelId::as_str).collect();
                write!(f, "use {}", ids.join(", then "))
            }
        }
    }
}

impl Budget {
    /// Returns what a turn finds of this budget; `None` if the budget does not apply to it.
    pub(crate) fn state(&self, turn: &Turn) -> Option<BudgetState> {
        let (spending, workspace) = (&turn.spending, turn.workspace.as_deref());
        let client = turn.request.as_ref().and_then(|request| request.client.as_deref());
        let is_named = |named: &Option<String>, actual: &str| named.as_deref().is_none_or(|name| name == actual);
        let amount = |amounts: PeriodAmounts| match self.period {
            Period::Day => amounts.day,
            Period::Week => amounts.week,
            Period::Month | Period::Session => amounts.month,
        };
        let (subject, spent, in_flight) = match &self.scope {
            BudgetScope::All => {
                let all = PeriodAmounts { day: turn.spent_today, week: spending.week, month: spending.month };
                ("all sessions".to_owned(), amount(all), spending.in_flight.all)
            }
            BudgetScope::Project(named) => {
                let path = workspace.filter(|path| is_named(named, path))?;
                (format!("the project {path}"), amount(spending.project), spending.in_flight.project)
            }
            BudgetScope::Client(named) => {
                let client = client.filter(|client| is_named(named, client))?;
                (format!("the client {client}"), amount(spending.client), spending.in_flight.client)
            }
            BudgetScope::Session => ("this session".to_owned(), spending.session, spending.in_flight.session),
        };
        let limit = SpentLimit { amount: self.limit, period: self.period };
        let resets_at = self.period.resets_at(turn.at);
        Some(BudgetState { name: self.name.clone(), subject, limit, spent, in_flight, resets_at })
    }
}

impl BudgetState {
    /// Returns whether nothing of the limit remains, with the calls in flight.
    pub fn is_reached(&self) -> bool {
        self.limit.amount <= self.spent.plus(self.in_flight)
    }

    /// Returns whether at least 80 % of the limit are spent, with the calls in flight.
    pub fn is_nearly_reached(&self) -> bool {
        let committed = u128::from(self.spent.plus(self.in_flight).0);
        u128::from(self.limit.amount.0) * WARNING_PERCENT <= committed * 100
    }

    /// Returns the rest of the limit, without the calls in flight.
    pub fn remaining(&self) -> NanoUsd {
        NanoUsd(self.limit.amount.0.saturating_sub(self.spent.0))
    }

    /// Returns the reason of the slot that the budget decides.
    pub(crate) fn reason(&self) -> Reason {
        Reason::BudgetSpent {
            name: self.name.clone(),
            limit: self.limit,
            spent: self.spent,
            in_flight: self.in_flight,
            resets_at: self.resets_at,
        }
    }
}

/// Formats a limit with its period: `$20.00 per day`.
pub(crate) fn limit_text(limit: SpentLimit) -> String {
    format!("{} per {}", limit.amount.exact(), limit.period.name())
}

/// Formats the spent amount of a budget with the calls in flight and the time of its reset.
pub(crate) fn spent_text(spent: NanoUsd, in_flight: NanoUsd, resets_at: Option<Timestamp>) -> String {
    let in_flight =
        if in_flight == NanoUsd(0) { String::new() } else { format!(" and {} in flight", amount_text(in_flight)) };
    let resets = resets_at.map(|at| format!(", resets {}", utc_minute(at))).unwrap_or_default();
    format!("{} spent{in_flight}{resets}", amount_text(spent))
}

/// Formats an amount that was spent.
pub(crate) fn amount_text(amount: NanoUsd) -> String {
    amount.to_string()
}
