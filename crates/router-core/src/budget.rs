//! Budgets of the policy: limits of what may be spent, and whether one is reached when a turn starts (decision D46).

use std::fmt;

use contracts::{NanoUsd, Period, PeriodAmounts, Reason, SpentBudget, SpentLimit, Turn};
use event_core::Timestamp;

use crate::{
    policy::{ModelCandidates, normalize_path},
    utc::utc_minute,
};

/// The share of a limit, in percent, from which a banner warns that the budget is nearly spent.
const WARNING_PERCENT: u128 = 80;

/// A limit of the amount that may be spent in a period, with the consequence when it is reached.
#[derive(Debug, Clone)]
pub struct Budget {
    /// The name of the budget, or `budget_` and its index if it has none.
    pub name: String,
    /// The amount that may be spent in the period.
    pub limit: NanoUsd,
    /// The period; [`Period::Session`] for budgets of sessions.
    pub period: Period,
    /// The calls whose costs count.
    pub scope: BudgetScope,
    /// The consequence for turns while the limit is reached.
    pub on_reached: OnReached,
}

/// The calls whose costs count towards a budget. For `None` as the name, each project or client has the limit for
/// itself.
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

/// The consequence for turns while a budget is spent.
#[derive(Debug, Clone)]
pub enum OnReached {
    /// Turns are refused.
    Refuse,
    /// Turns are served as usual, with a banner.
    Warn,
    /// Turns are served by the first of these models that can serve them; they are refused if none can.
    Use(
        /// The models.
        ModelList,
    ),
}

/// A list of models that are tried in order.
#[derive(Debug, Clone)]
pub struct ModelList(pub(crate) ModelCandidates);

/// The state of a budget when a turn starts: the limit, and the amounts that count towards it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetState {
    /// The name of the budget.
    pub name: String,
    /// The calls that count, in words: `all sessions`, `the project /shop`.
    pub subject: String,
    /// The limit with its period.
    pub limit: SpentLimit,
    /// The amount spent in the period by calls that have ended.
    pub spent: NanoUsd,
    /// The estimated costs of calls that have not ended.
    pub in_flight: NanoUsd,
    /// The end of the period; `None` for a budget of a session.
    pub resets_at: Option<Timestamp>,
}

impl BudgetScope {
    /// Returns the keyword of the scope in policy files.
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
    /// Returns the state of this budget when a turn starts; `None` if the budget does not apply to the turn.
    pub(crate) fn state(&self, turn: &Turn<'_>) -> Option<BudgetState> {
        let (spending, workspace) = (&turn.started.spending, turn.started.workspace.as_deref());
        let client = turn.request.and_then(|request| request.client.as_deref());
        let amount = |amounts: PeriodAmounts| match self.period {
            Period::Day => amounts.day,
            Period::Week => amounts.week,
            Period::Month | Period::Session => amounts.month,
        };
        let (subject, spent, in_flight) = match &self.scope {
            BudgetScope::All => {
                let all_sessions =
                    PeriodAmounts { day: turn.started.spent_today, week: spending.week, month: spending.month };
                ("all sessions".to_owned(), amount(all_sessions), spending.in_flight.all)
            }
            BudgetScope::Project(named) => {
                // Clients write one path in several ways, such as `/shop/` for `/shop`.
                let is_named =
                    |path: &&str| named.as_ref().is_none_or(|name| normalize_path(path, None).as_ref() == Some(name));
                let path = workspace.filter(is_named)?;
                (format!("the project {path}"), amount(spending.project), spending.in_flight.project)
            }
            BudgetScope::Client(named) => {
                let is_named = |client: &&str| named.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(client));
                let client = client.filter(is_named)?;
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
    /// Returns whether the limit is reached by the spent amount and the calls in flight together.
    pub fn is_reached(&self) -> bool {
        self.limit.amount <= self.spent.plus(self.in_flight)
    }

    /// Returns whether the spent amount and the calls in flight together reach 80 % of the limit.
    pub fn is_nearly_reached(&self) -> bool {
        let committed = u128::from(self.spent.plus(self.in_flight).0);
        u128::from(self.limit.amount.0) * WARNING_PERCENT <= committed * 100
    }

    /// Returns the part of the limit that is not spent; calls in flight are not subtracted.
    pub fn remaining(&self) -> NanoUsd {
        NanoUsd(self.limit.amount.0.saturating_sub(self.spent.0))
    }

    /// Returns the reason that the chain records if this budget decides a turn.
    pub(crate) fn reason(&self) -> Reason {
        Reason::BudgetSpent(Box::new(SpentBudget {
            name: self.name.clone(),
            limit: self.limit,
            spent: self.spent,
            in_flight: self.in_flight,
            resets_at: self.resets_at,
        }))
    }
}

/// Formats a limit with its period: `$20.00 per day`.
pub(crate) fn limit_text(limit: SpentLimit) -> String {
    format!("{} per {}", limit.amount.exact(), limit.period.name())
}

/// Formats the spent amount of a budget, the costs of calls in flight if there are any, and the time of the next reset:
/// `$1.20 spent and $0.10 in flight, resets 2026-12-01 00:00 UTC`.
pub(crate) fn spent_text(spent: NanoUsd, in_flight: NanoUsd, resets_at: Option<Timestamp>) -> String {
    let in_flight =
        if in_flight == NanoUsd(0) { String::new() } else { format!(" and {} in flight", amount_text(in_flight)) };
    let resets = resets_at.map(|at| format!(", resets {}", utc_minute(at))).unwrap_or_default();
    format!("{} spent{in_flight}{resets}", amount_text(spent))
}

/// Formats an amount of money that was spent or is estimated, rounded for display.
pub(crate) fn amount_text(amount: NanoUsd) -> String {
    amount.to_string()
}
