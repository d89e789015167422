//! `cost`: spending by model, role and day, or of one session (004 §6.7).

use contracts::{CallRole, SessionId};
use costs::{Costs, SessionCosts, Total};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    context::{Context, date},
    failure::Failure,
    screen::{HEADING, Table, count_noun, styled},
};

/// The most sessions and days that the text output lists.
const MAX_LISTED: usize = 15;

pub(super) fn run(context: &Context, session: Option<&str>) -> Result<(), Failure> {
    let state = context.fold_state()?;
    let costs = &state.costs;
    let Some(session) = session else { return print_overview(context, costs) };
    let session = match session {
        "last" => state.sessions.latest().map(|(session, _)| session.clone()),
        name => SessionId::try_from(name).ok(),
    };
    let found = session.and_then(|session| Some((costs.session(&session)?, session)));
    let (spent, name) = found.ok_or_else(|| {
        Failure::Invalid("no such session has spent anything; `turnwise cost` lists sessions".to_owned())
    })?;
    print_session(context, &name, spent)
}

/// The total of a model, role or session, as a JSON object with its name.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    #[serde(flatten)]
    total: Value,
}

/// Converts a total to JSON.
fn total_json(total: &Total) -> Value {
    json!({
        "calls": total.calls,
        "unpriced_calls": total.unpriced_calls,
        "usage": total.usage,
        "cost_nano_usd": total.cost,
        "cost_usd": format!("{:.9}", total.cost).trim_start_matches('$'),
    })
}

/// Prints the costs by model, role, day and session.
fn print_overview(context: &Context, costs: &Costs) -> Result<(), Failure> {
    let overall = costs.overall();
    let models: Vec<_> =
        costs.models().map(|(model, total)| Row { name: model.as_str(), total: total_json(total) }).collect();
    let roles = CallRole::ALL.map(|role| Row { name: role.name(), total: total_json(&costs.role(role)) });
    let days: Vec<_> =
        costs.days().map(|(day, total)| json!({ "day": date(day), "total": total_json(total) })).collect();
    let sessions: Vec<_> = costs
        .sessions()
        .map(|(name, session)| Row { name: name.as_str(), total: total_json(&session.total()) })
        .collect();
    let json = json!({
        "overall": total_json(&overall), "models": models, "roles": roles, "days": days, "sessions": sessions,
    });
    context.print(&json, || {
        anstream::println!("{}", styled(HEADING, &format!("Total {:.2} in {} calls", overall.cost, overall.calls)));
        print_unpriced(&overall);
        anstream::println!();
        let mut table = totals_table("MODEL");
        for (model, total) in costs.models() {
            add_total_row(&mut table, model.to_string(), total);
        }
        table.print();
        anstream::println!();
        let mut table = totals_table("ROLE");
        for role in CallRole::ALL {
            add_total_row(&mut table, role.name().to_owned(), &costs.role(role));
        }
        table.print();
        anstream::println!();
        let mut table = totals_table("DAY (UTC)");
        let days: Vec<_> = costs.days().collect();
        for (day, total) in days.iter().rev().take(MAX_LISTED).rev() {
            add_total_row(&mut table, date(*day), total);
        }
        table.print();
        anstream::println!();
        let mut sessions: Vec<_> = costs.sessions().map(|(name, session)| (session.total(), name)).collect();
        sessions.sort_by(|(a, x), (b, y)| b.cost.cmp(&a.cost).then(x.cmp(y)));
        let mut table = totals_table("SESSION");
        for (total, name) in sessions.iter().take(MAX_LISTED) {
            add_total_row(&mut table, name.to_string(), total);
        }
        table.print();
        if MAX_LISTED < sessions.len() {
            anstream::println!("and {} more; `turnwise cost --json` lists all", sessions.len() - MAX_LISTED);
        }
    })
}

/// Creates a table of totals with `first` as the title of the first column.
fn totals_table(first: &'static str) -> Table {
    Table::new(&[first, ">CALLS", ">INPUT", ">CACHE READ", ">CACHE WRITE", ">OUTPUT", ">COST"])
}

/// Appends a total to a table of [`totals_table`].
fn add_total_row(table: &mut Table, name: String, total: &Total) {
    let usage = &total.usage;
    table.add_row([
        name,
        total.calls.to_string(),
        usage.input.to_string(),
        usage.cache_read.to_string(),
        (usage.cache_write_5m + usage.cache_write_1h).to_string(),
        usage.output.to_string(),
        format_cost(total),
    ]);
}

/// Formats a cost; `?` if no call has a price.
fn format_cost(total: &Total) -> String {
    if 0 < total.calls && total.calls == total.unpriced_calls { "?".to_owned() } else { format!("{:.4}", total.cost) }
}

/// Prints the number of calls without a known price, if there are any.
fn print_unpriced(total: &Total) {
    if 0 < total.unpriced_calls {
        anstream::println!(
            "{} calls of models without known prices are not in it; `turnwise models import FILE` brings prices",
            total.unpriced_calls
        );
    }
}

/// Prints the cost of a session by role and thread, in the layout of 004 §6.7.
fn print_session(context: &Context, name: &SessionId, session: &SessionCosts) -> Result<(), Failure> {
    let total = session.total();
    let threads: Vec<_> = session
        .threads()
        .map(|(thread, costs)| {
            json!({
                "role": thread.role(), "thread": thread.name(), "turns": costs.turns,
                "models": costs.models().map(|(model, total)| Row { name: model.as_str(), total: total_json(total) }).collect::<Vec<_>>(),
                "total": total_json(&costs.total()),
            })
        })
        .collect();
    context.print(&json!({ "session": name, "total": total_json(&total), "threads": threads }), || {
        anstream::println!("{}", styled(HEADING, &format!("Session {name} — total {}", total.cost)));
        print_unpriced(&total);
        let threads: Vec<_> = session.threads().collect();
        for (number, (thread, costs)) in (1..).zip(&threads) {
            let corner = if number == threads.len() { "└─" } else { "├─" };
            let role = thread.role();
            let label = thread.name().map_or_else(|| role.to_string(), |name| format!("{role} {name}"));
            let models: Vec<_> = costs.models().map(|(model, _)| model.to_string()).collect();
            let turns = count_noun(costs.turns, "turn");
            anstream::println!("{corner} {label} ({}): {}, {turns}", models.join(", "), costs.total().cost);
        }
    })
}
