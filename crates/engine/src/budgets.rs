//! The budgets of the policy with what was spent of each: for `turnwise status`, the page and the status line.

use contracts::{NanoUsd, Period, SessionId};
use costs::{CostScope, Costs};
use event_core::Timestamp;
use router_core::{Budget, BudgetScope, Policy};
use serde::Serialize;

/// Maximum number of lines for a budget with a separate limit for each project, client or session.
pub(crate) const MAX_LINES: usize = 5;

/// The state of a budget: the limit, and the amount that was spent of it by all calls or by one project, client or
/// session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BudgetLine {
    /// Name of the budget.
    pub name: String,
    /// What it covers: `all`, `project`, `client` or `session`.
    pub scope: &'static str,
    /// The project, client or session of this line; `None` for `all`.
    pub subject: Option<String>,
    /// The period: `day`, `week`, `month` or `session`.
    pub period: &'static str,
    /// The limit per period.
    pub limit: NanoUsd,
    /// Amount spent in the current period.
    pub spent: NanoUsd,
    /// Estimated costs of calls that have not ended.
    pub in_flight: NanoUsd,
    /// The rest of the limit, without the calls in flight.
    pub remaining: NanoUsd,
    /// Spent share of the limit in percent, rounded down.
    pub percent: u64,
    /// Calls in the period whose cost is unknown, so that `spent` does not include them.
    pub unpriced_calls: u64,
    /// What happens when the limit is reached: `refuse`, `warn`, or `use` with the model.
    pub on_reached: String,
    /// When the period ends; `None` for a session.
    pub resets_at: Option<Timestamp>,
}

/// Returns the state of every budget of the policy at the time `at`, in the order of the policy. A budget with a
/// separate limit for each project, client or session has up to five lines: those of the highest spenders.
pub fn budget_lines(policy: &Policy, costs: &Costs, at: Timestamp) -> Vec<BudgetLine> {
    policy.spending_budgets().iter().flat_map(|budget| lines(budget, costs, at)).collect()
}

/// Returns the state at a time of every budget that applies to a session, in the order of the policy. `project` and
/// `client` are those of the session's last turn; `None` if unknown.
pub(crate) fn session_budget_lines(
    policy: &Policy,
    costs: &Costs,
    session: &SessionId,
    project: Option<&str>,
    client: Option<&str>,
    at: Timestamp,
) -> Vec<BudgetLine> {
    let is_named = |named: &Option<String>, actual: &str| named.as_deref().is_none_or(|name| name == actual);
    let session_line = |budget: &Budget| {
        let (scope, subject) = match &budget.scope {
            BudgetScope::All => (CostScope::All, None),
            BudgetScope::Project(named) => {
                let path = project.filter(|path| is_named(named, path))?;
                (CostScope::Project(path), Some(path.to_owned()))
            }
            BudgetScope::Client(named) => {
                let name = client.filter(|name| is_named(named, name))?;
                (CostScope::Client(name), Some(name.to_owned()))
            }
            BudgetScope::Session => (CostScope::Session(session), Some(session.to_string())),
        };
        Some(line(budget, costs, scope, subject, at))
    };
    policy.spending_budgets().iter().filter_map(session_line).collect()
}

/// Returns the lines of one budget: one line, or up to [`MAX_LINES`] for a budget with a separate limit for each
/// project, client or session.
fn lines(budget: &Budget, costs: &Costs, at: Timestamp) -> Vec<BudgetLine> {
    let line = |scope, subject| line(budget, costs, scope, subject, at);
    match &budget.scope {
        BudgetScope::All => vec![line(CostScope::All, None)],
        BudgetScope::Project(Some(path)) => vec![line(CostScope::Project(path), Some(path.clone()))],
        BudgetScope::Client(Some(name)) => vec![line(CostScope::Client(name), Some(name.clone()))],
        BudgetScope::Project(None) => {
            largest(costs.projects().map(|path| line(CostScope::Project(path), Some(path.to_owned()))))
        }
        BudgetScope::Client(None) => {
            largest(costs.clients().map(|name| line(CostScope::Client(name), Some(name.to_owned()))))
        }
        BudgetScope::Session => {
            let sessions: Vec<&SessionId> = costs.sessions().map(|(session, _)| session).collect();
            largest(sessions.into_iter().map(|id| line(CostScope::Session(id), Some(id.to_string()))))
        }
    }
}

/// Returns the [`MAX_LINES`] lines with the largest spent amounts, in descending order, without lines of amount zero.
fn largest(lines: impl Iterator<Item = BudgetLine>) -> Vec<BudgetLine> {
    let mut lines: Vec<_> = lines.filter(|line| line.spent != NanoUsd(0) || line.in_flight != NanoUsd(0)).collect();
    lines.sort_by(|one, other| (other.spent, &one.subject).cmp(&(one.spent, &other.subject)));
    lines.truncate(MAX_LINES);
    lines
}

/// Builds the line of a budget at the time `at`. `scope` is the part of the spending that it counts, `subject` the
/// project, client or session of the scope.
fn line(budget: &Budget, costs: &Costs, scope: CostScope<'_>, subject: Option<String>, at: Timestamp) -> BudgetLine {
    let (total, limit) = (costs.total_of_scope(scope, budget.period, at), budget.limit);
    let percent = u128::from(total.cost.0) * 100 / u128::from(limit.0.max(1));
    BudgetLine {
        name: budget.name.clone(),
        scope: budget.scope.name(),
        subject,
        period: budget.period.name(),
        limit,
        spent: total.cost,
        in_flight: costs.in_flight(scope),
        remaining: NanoUsd(limit.0.saturating_sub(total.cost.0)),
        percent: u64::try_from(percent).unwrap_or(u64::MAX),
        unpriced_calls: total.unpriced_calls,
        on_reached: budget.on_reached.to_string(),
        resets_at: if budget.period == Period::Session { None } else { budget.period.resets_at(at) },
    }
}
