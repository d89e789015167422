//! `status`: shows which providers and models are available.

use availability::AvailabilityState;
use contracts::OutageScope;
use engine::{BudgetLine, budget_lines};
use event_bus::{Clock as _, SystemClock};
use serde_json::json;

use crate::{
    commands::rules::open_policy,
    context::{Context, local_time},
    failure::Failure,
    screen::{NOTICE, Table, count_noun, outln, styled},
};

/// Prints whether the providers and models that were called are available, and how much of each budget is spent.
pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let (state, now) = (context.fold_state()?, SystemClock.now());
    let rows = state.availability.status(now);
    // Availability comes from the log alone, so an invalid policy hides only the budgets.
    let budgets = match open_policy(context) {
        Ok(policy) => budget_lines(&policy.active().policy, &state.costs, now),
        Err(failure) => {
            let reason = failure.message().unwrap_or_default().trim_end();
            context.print_note(&format!("budgets are not shown: {reason}"));
            Vec::new()
        }
    };
    context.print(&json!({ "availability": rows, "budgets": budgets }), || {
        print_budgets(&budgets);
        if rows.is_empty() {
            outln!("No call was recorded yet, so no outage is known.");
            return;
        }
        let mut table = Table::new(&["SCOPE", "STATE", ">FAILURES", "SINCE", "TRIGGER", "CLEARS"]);
        for row in &rows {
            let scope = match &row.scope {
                OutageScope::ProviderWide(provider) => provider.to_string(),
                OutageScope::ModelSpecific(model) => format!("  {model}"),
            };
            let is_unhealthy = row.state != AvailabilityState::Healthy;
            table.add_row([
                scope,
                row.state.name().to_owned(),
                if row.failures == 0 { String::new() } else { row.failures.to_string() },
                row.since.filter(|_| is_unhealthy).map(local_time).unwrap_or_default(),
                row.trigger.map(|trigger| variant_name(&trigger)).unwrap_or_default(),
                row.clears_at.filter(|_| is_unhealthy).map(local_time).unwrap_or_default(),
            ]);
        }
        table.print();
    })
}

/// Prints a line for each budget: what was spent of it, what remains, and when it resets.
fn print_budgets(budgets: &[BudgetLine]) {
    if budgets.is_empty() {
        return;
    }
    let mut table = Table::new(&["BUDGET", "FOR", ">SPENT", ">LIMIT", ">LEFT", ">%", "RESETS"]);
    for line in budgets {
        let subject = line.subject.clone().unwrap_or_else(|| "all sessions".to_owned());
        table.add_row([
            line.name.clone(),
            subject,
            line.spent.to_string(),
            format!("{}/{}", line.limit, line.period),
            line.remaining.to_string(),
            line.percent.to_string(),
            line.resets_at.map(local_time).unwrap_or_default(),
        ]);
    }
    table.print();
    let unpriced: u64 = budgets.iter().map(|line| line.unpriced_calls).max().unwrap_or_default();
    if 0 < unpriced {
        let calls = count_noun(unpriced, "call");
        outln!("{} {calls} of models without a price count as $0.00.", styled(NOTICE, "note:"));
    }
    outln!();
}

/// Returns the name of a fieldless enum variant as JSON has it; empty for a variant with fields.
fn variant_name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
