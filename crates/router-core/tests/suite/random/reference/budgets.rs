//! The budgets of a policy, evaluated naively (decision D46).

use contracts::{ChainEntry, NanoUsd, Period, PeriodAmounts, Reason, Slot, SpentBudget, SpentLimit, Verdict};

use super::{proposes_list, says};
use crate::random::{
    policies::{Budget, BudgetScope, OnReached, Policy},
    printed::budget_name,
    worlds::World,
};

/// What a budget knows of a turn: what was spent in its period and scope, and what is in flight; `None` if the budget is
/// about another project or client.
fn counted(budget: &Budget, world: &World) -> Option<(NanoUsd, NanoUsd)> {
    let started = &world.turn.started;
    let (spending, in_flight) = (&started.spending, &started.spending.in_flight);
    let of_period = |amounts: PeriodAmounts| match budget.period {
        Period::Day => amounts.day,
        Period::Week => amounts.week,
        _ => amounts.month,
    };
    match &budget.scope {
        BudgetScope::All => {
            let all = PeriodAmounts { day: started.spent_today, week: spending.week, month: spending.month };
            Some((of_period(all), in_flight.all))
        }
        BudgetScope::Project(named) => {
            let here = world.workspace?;
            named.is_none_or(|(_, meant)| meant == here).then(|| (of_period(spending.project), in_flight.project))
        }
        BudgetScope::Client(named) => {
            let client = started.request.as_ref()?.client.as_ref()?;
            named
                .is_none_or(|name| name.eq_ignore_ascii_case(client))
                .then(|| (of_period(spending.client), in_flight.client))
        }
        BudgetScope::Session => Some((spending.session, in_flight.session)),
    }
}

/// The budget that decides alone (decision D46): the first that is reached and refuses, or else the first that is reached
/// and names models.
pub(super) fn reached_budget(policy: &Policy, world: &World) -> Option<ChainEntry> {
    let mut instead = None;
    for (index, budget) in policy.budgets.iter().enumerate() {
        let limit = SpentLimit { amount: NanoUsd(budget.cents * 10_000_000), period: budget.period };
        let Some((spent, in_flight)) = counted(budget, world) else { continue };
        if spent.0 + in_flight.0 < limit.amount.0 {
            continue;
        }
        let (name, resets_at) = (budget_name(index, budget), budget.period.resets_at(world.turn.at));
        let state = SpentBudget { name: name.clone(), limit, spent, in_flight, resets_at };
        let reason = Reason::BudgetSpent(Box::new(state));
        match &budget.on_reached {
            OnReached::Refuse(_) => return Some(says(Slot::Budget, Verdict::Rejected, None, reason, None)),
            OnReached::Warn => {}
            OnReached::Use(models) => {
                instead.get_or_insert_with(|| proposes_list(world, Slot::Budget, &name, models, &reason));
            }
        }
    }
    instead
}
