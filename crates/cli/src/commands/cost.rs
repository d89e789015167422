//! `cost`: spending in a range of time, by one dimension or in an overview, or of one session (004 §6.7).

mod combined;
mod dimension;
mod overview;
mod plan;
mod session;

use contracts::SessionId;
use costs::{AttributedCall, Attribution, CostTotal};
use engine::events;
use event_bus::{Clock as _, SystemClock};
use event_core::{Position, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) use dimension::Dimension;

use crate::{
    arguments::CostArguments,
    context::Context,
    failure::Failure,
    moment,
    screen::{Table, outln},
};

/// Executes `turnwise cost`: prints the cost of one session, of the groups of one or several dimensions, or an
/// overview.
pub(super) fn run(context: &Context, arguments: &CostArguments) -> Result<(), Failure> {
    if let Some(session) = &arguments.session {
        return show_session(context, session);
    }
    let now = SystemClock.now();
    let moment = |text: &Option<String>| text.as_deref().map(|text| moment::parse_moment(text, now)).transpose();
    let period = Period {
        from: moment(&arguments.from).map_err(Failure::Invalid)?,
        to: moment(&arguments.to).map_err(Failure::Invalid)?,
    };
    let calls = billed_calls(context, period)?;
    if calls.is_empty() && !context.json {
        print_nothing_spent(period);
        return Ok(());
    }
    if let Some(monthly) = arguments.plan {
        return plan::show_plan(context, &calls, period, monthly);
    }
    match arguments.by[..] {
        [] => overview::show_overview(context, &calls, period),
        [dimension] => dimension::show_dimension(context, &calls, period, dimension),
        ref several => combined::show_combined(context, &calls, period, several),
    }
}

/// Prints the cost of one session; `session` is its id, or `last` for the session with the latest event.
fn show_session(context: &Context, session: &str) -> Result<(), Failure> {
    let state = context.fold_state()?;
    let session = match session {
        "last" => state.sessions.latest().map(|(session, _)| session.clone()),
        name => SessionId::try_from(name).ok(),
    };
    let found = session.and_then(|session| Some((state.costs.session(&session)?, session)));
    let (spent, name) = found.ok_or_else(|| {
        Failure::Invalid("no such session has spent anything; `turnwise cost --by session` lists sessions".to_owned())
    })?;
    session::show_session(context, &name, spent)
}

/// A period of time, from `from` (inclusive) to `to` (exclusive); `None` is unbounded. Model calls are counted by the
/// time at which they ended.
#[derive(Debug, Clone, Copy)]
struct Period {
    /// The first moment of the period; `None` without a start.
    from: Option<Timestamp>,
    /// The first moment after the period; `None` without an end.
    to: Option<Timestamp>,
}

impl Period {
    /// Returns whether a moment is in the period.
    fn contains(self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at < to)
    }
}

/// Reads the model calls that ended within a period from the log, each with its cost and the turn it belongs to.
fn billed_calls(context: &Context, period: Period) -> Result<Vec<AttributedCall>, Failure> {
    let log = context.log_reader()?;
    let mut attribution = Attribution::default();
    let mut calls = Vec::new();
    for event in events(log.as_ref(), Position::ORIGIN) {
        let call = attribution.advance(&event?).map_err(engine::EngineError::from)?;
        calls.extend(call.filter(|call| period.contains(call.at)));
    }
    attribution.set_results(&mut calls);
    Ok(calls)
}

/// Prints that no call was billed in a period, and the next step.
fn print_nothing_spent(period: Period) {
    if period.from.is_some() || period.to.is_some() {
        outln!("Nothing was spent in this period; `turnwise cost --by month` shows when something was.");
    } else {
        outln!(
            "Nothing was spent yet. `turnwise import claude-code` or `turnwise import codex` reads\nrecorded sessions, \
             `turnwise serve` records new ones."
        );
    }
}

/// A row of the JSON output: the name of a group of calls with their total cost and usage.
#[derive(Serialize)]
struct Row<'a> {
    /// The name of the group, such as a model or a day.
    name: &'a str,
    /// The total of the group's calls; its fields become fields of the row.
    #[serde(flatten)]
    total: Value,
}

/// Converts the total of some model calls to JSON: the numbers of calls, their tokens, and their cost in nano-dollars
/// and in dollars.
fn total_json(total: &CostTotal) -> Value {
    json!({
        "calls": total.calls,
        "unpriced_calls": total.unpriced_calls,
        "usage": total.usage,
        "cost_nano_usd": total.cost,
        "cost_usd": format!("{:.9}", total.cost).trim_start_matches('$'),
    })
}

/// Converts the model calls without a known price to a JSON list of models, each with its number of such calls.
fn unpriced_json(calls: &[AttributedCall]) -> Value {
    let models = dimension::group(calls, Dimension::Model);
    models
        .iter()
        .filter(|(_, total)| 0 < total.unpriced_calls)
        .map(|(model, total)| json!({ "model": model, "calls": total.unpriced_calls }))
        .collect()
}

/// Creates a table with the columns of a total: calls, tokens and cost. `first` is the title of the first column.
fn totals_table(first: &'static str) -> Table {
    Table::new(&[first, ">CALLS", ">INPUT", ">CACHED", ">WRITTEN", ">OUTPUT", ">COST"])
}

/// Appends the total of a group of model calls as a row to a table that [`totals_table`] created.
fn add_total_row(table: &mut Table, name: String, total: &CostTotal) {
    let usage = &total.usage;
    table.add_row([
        name,
        total.calls.to_string(),
        tokens(usage.input),
        tokens(usage.cache_read),
        tokens(usage.cache_write_5m + usage.cache_write_1h),
        tokens(usage.output),
        format_cost(total),
    ]);
}

/// Formats a number of tokens with at most four digits and a suffix, such as `12.3M`.
fn tokens(number: u64) -> String {
    let scaled = |unit: u64, suffix: char| {
        let tenths = number / (unit / 10);
        if tenths < 1_000 {
            format!("{}.{}{suffix}", tenths / 10, tenths % 10)
        } else {
            format!("{}{suffix}", tenths / 10)
        }
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => scaled(1_000, 'k'),
        1_000_000..1_000_000_000 => scaled(1_000_000, 'M'),
        _ => scaled(1_000_000_000, 'G'),
    }
}

/// Formats the cost of some model calls: `unpriced` if none has a known price, with a final `+` if some have none.
fn format_cost(total: &CostTotal) -> String {
    match total.unpriced_calls {
        0 => total.cost.to_string(),
        all if all == total.calls => "unpriced".to_owned(),
        _ => format!("{}+", total.cost),
    }
}

/// Prints the number of calls without a known price and their models, if there are any.
fn print_unpriced(calls: &[AttributedCall]) {
    let models = dimension::group(calls, Dimension::Model);
    let unpriced: Vec<_> = models.iter().filter(|(_, total)| 0 < total.unpriced_calls).collect();
    let count: u64 = unpriced.iter().map(|(_, total)| total.unpriced_calls).sum();
    if count == 0 {
        return;
    }
    let names: Vec<_> = unpriced.iter().map(|(model, total)| format!("{model} ({})", total.unpriced_calls)).collect();
    outln!(
        "Not included: {} of models without a known price: {}",
        crate::screen::count_noun(count, "call"),
        names.join(", ")
    );
    outln!("`turnwise models import FILE` adds prices.");
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_take_at_most_six_characters() {
        let shown = [999, 1_000, 27_349, 999_999, 12_345_678, 123_456_789, 1_234_567_890].map(tokens);
        assert_eq!(shown, ["999", "1.0k", "27.3k", "999k", "12.3M", "123M", "1.2G"]);
    }
}
