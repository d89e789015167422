//! The overview of costs: by model, role, day and session.

use std::collections::BTreeSet;

use contracts::{CallRole, NanoUsd, SessionId, Thread};
use costs::{AttributedCall, CostTotal};
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
    screen::{HEADING, Table, count_noun, outln, styled},
};

/// The maximum number of sessions that the text output lists.
const MAX_SESSIONS: usize = 15;
/// The maximum number of days that the text output lists one by one; longer periods are listed by week.
const MAX_DAYS: usize = 62;

/// Prints the total cost of the calls of a period, and the cost by model, role, day and session.
pub(super) fn show_overview(context: &Context, calls: &[AttributedCall], period: Period) -> Result<(), Failure> {
    let success = KnownSuccess::of(&context.fold_state()?.patterns);
    let overall: CostTotal = calls.iter().map(|call| &call.total).sum();
    let [models, days, sessions] =
        [Dimension::Model, Dimension::Day, Dimension::Session].map(|dimension| group(calls, dimension));
    let rows = |groups: &[(String, CostTotal)]| -> Value {
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
        "wasted": total_json(&wasted_total(calls)), "unpriced": unpriced_json(calls), "success": success,
    });
    context.print(&json, || {
        let title = format!("Total {} in {}", overall.cost, count_noun(overall.calls, "call"));
        outln!("{}", styled(HEADING, &title));
        print_unpriced(calls);
        outln!();
        print_models(&models, &success);
        outln!();
        print_group(Dimension::Role, &group(calls, Dimension::Role), usize::MAX);
        outln!(
            "workers: {}, {}",
            role_total(calls, CallRole::Worker).cost,
            count_noun(delegations(calls), "delegation")
        );
        let wasted = wasted_total(calls);
        outln!(
            "failed, cancelled or rejected: {} ({} %) in {}: turnwise cost --by result",
            wasted.cost,
            per_cent(wasted.cost, overall.cost),
            count_noun(wasted.calls, "call")
        );
        outln!();
        if days.len() <= MAX_DAYS {
            print_group(Dimension::Day, &days, usize::MAX);
        } else {
            print_group(Dimension::Week, &group(calls, Dimension::Week), usize::MAX);
            outln!("{}: turnwise cost --by day", count_noun(days.len() as u64, "day"));
        }
        outln!();
        print_group(Dimension::Session, &sessions, MAX_SESSIONS);
    })
}

/// Prints the cost of each model beside its known success over all projects.
fn print_models(models: &[(String, CostTotal)], success: &KnownSuccess) {
    let mut table = Table::new(&["MODEL", ">CALLS", ">COST", "SUCCESS (95 % interval, scored turns)"]);
    for (model, total) in models {
        let known = success_text(success.overall(model));
        table.add_row([model.clone(), total.calls.to_string(), format_cost(total), known]);
    }
    table.print();
}

/// Returns the total cost and usage of the model calls of one role.
fn role_total(calls: &[AttributedCall], role: CallRole) -> CostTotal {
    calls.iter().filter(|call| call.role == role).map(|call| &call.total).sum()
}

/// Returns the total cost and usage of wasted calls: those of failed and cancelled turns, and of turns whose result the
/// user rejected.
fn wasted_total(calls: &[AttributedCall]) -> CostTotal {
    calls.iter().filter(|call| call.result.is_wasted()).map(|call| &call.total).sum()
}

/// Returns the share of an amount in a total in percent, rounded to the nearest integer; 0 of a total of zero.
fn per_cent(part: NanoUsd, total: NanoUsd) -> u64 {
    let (part, total) = (u128::from(part.0), u128::from(total.0));
    u64::try_from((part * 100 + total / 2).checked_div(total).unwrap_or_default()).unwrap_or(u64::MAX)
}

/// Returns how many sub-agents made model calls, counted by session and thread.
fn delegations(calls: &[AttributedCall]) -> u64 {
    let workers: BTreeSet<(&SessionId, &Thread)> = calls
        .iter()
        .filter(|call| call.role == CallRole::Worker)
        .filter_map(|call| Some((call.session.as_ref()?, call.thread.as_ref()?)))
        .collect();
    workers.len() as u64
}
