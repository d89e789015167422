//! The overview of costs: by model, role, day and session.

use std::collections::BTreeSet;

use contracts::{CallRole, SessionId, Thread};
use costs::{AttributedCall, Total};
use serde_json::{Value, json};
use what_if::{KnownSuccess, success_text};

use super::{
    Dimension, Period, Row,
    dimension::{group, print_group},
    format_cost, print_unpriced, total_json, unpriced_json,
};
use crate::{
    context::Context,
    failure::Failure,
    screen::{HEADING, Table, count_noun, styled},
};

/// The most sessions that the text output lists.
const MAX_SESSIONS: usize = 15;
/// The most days that the text output lists one by one; longer periods are listed by week.
const MAX_DAYS: usize = 62;

pub(super) fn show(context: &Context, calls: &[AttributedCall], period: Period) -> Result<(), Failure> {
    let success = KnownSuccess::of(&context.fold_state()?.patterns);
    let overall: Total = calls.iter().map(|call| &call.total).sum();
    let [models, days, sessions] =
        [Dimension::Model, Dimension::Day, Dimension::Session].map(|dimension| group(calls, dimension));
    let rows = |groups: &[(String, Total)]| -> Value {
        groups.iter().map(|(name, total)| json!(Row { name, total: total_json(total) })).collect()
    };
    let roles: Value = CallRole::ALL
        .into_iter()
        .map(|role| json!(Row { name: role.name(), total: total_json(&role_total(calls, role)) }))
        .collect();
    let listed_days: Vec<_> =
        days.iter().map(|(day, total)| json!({ "day": day, "total": total_json(total) })).collect();
    let json = json!({
        "from": period.from, "to": period.to, "overall": total_json(&overall), "models": rows(&models), "roles": roles,
        "delegations": delegations(calls), "days": listed_days, "sessions": rows(&sessions),
        "unpriced": unpriced_json(calls), "success": success,
    });
    context.print(&json, || {
        let title = format!("Total {} in {}", overall.cost, count_noun(overall.calls, "call"));
        anstream::println!("{}", styled(HEADING, &title));
        print_unpriced(calls);
        anstream::println!();
        print_models(&models, &success);
        anstream::println!();
        print_group(Dimension::Role, &group(calls, Dimension::Role), usize::MAX);
        anstream::println!(
            "workers: {}, {}",
            role_total(calls, CallRole::Worker).cost,
            count_noun(delegations(calls), "delegation")
        );
        anstream::println!();
        if days.len() <= MAX_DAYS {
            print_group(Dimension::Day, &days, usize::MAX);
        } else {
            print_group(Dimension::Week, &group(calls, Dimension::Week), usize::MAX);
            anstream::println!("{}: turnwise cost --by day", count_noun(days.len() as u64, "day"));
        }
        anstream::println!();
        print_group(Dimension::Session, &sessions, MAX_SESSIONS);
    })
}

/// Prints the cost of each model beside what is known of its success over all projects.
fn print_models(models: &[(String, Total)], success: &KnownSuccess) {
    let mut table = Table::new(&["MODEL", ">CALLS", ">COST", "SUCCESS (95 % interval, scored turns)"]);
    for (model, total) in models {
        let known = success_text(success.overall(model));
        table.add_row([model.clone(), total.calls.to_string(), format_cost(total), known]);
    }
    table.print();
}

/// Returns the total of one role.
fn role_total(calls: &[AttributedCall], role: CallRole) -> Total {
    calls.iter().filter(|call| call.thread.role() == role).map(|call| &call.total).sum()
}

/// Returns the number of sub-agents that made calls.
fn delegations(calls: &[AttributedCall]) -> u64 {
    let workers: BTreeSet<(&SessionId, &Thread)> = calls
        .iter()
        .filter(|call| call.thread.role() == CallRole::Worker)
        .map(|call| (&call.session, &call.thread))
        .collect();
    workers.len() as u64
}
