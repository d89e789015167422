//! The turns of a backtest whose model changes, the most expensive first.

use std::cmp::Reverse;

use what_if::{Backtest, Report, TurnRow, dollars, success_text};

use crate::{
    context::local_time,
    screen::{FAINT, HEADING, Table, count_noun, outln, styled, truncate},
};

/// The maximum number of turns that are printed without `--all`.
const MAX_TURNS: usize = 20;

/// Prints the turns of a backtest that change model under at least one policy; with `all` every turn.
pub(super) fn print(report: &Report, rows: &[TurnRow], options: &Backtest, all: bool) {
    for (index, candidate) in options.candidates.iter().enumerate() {
        let mut changed: Vec<&TurnRow> =
            rows.iter().filter(|row| all || row.new.get(index).is_some_and(|new| new.model != row.old.model)).collect();
        changed.sort_by_key(|row| (Reverse(row.larger_cost(index)), row.at));
        let listed = if all { changed.len() } else { MAX_TURNS.min(changed.len()) };
        if listed == 0 {
            continue;
        }
        let what = if all { "Turns" } else { "Turns that change model" };
        let of = if 1 < options.candidates.len() { format!(" under {}", candidate.name) } else { String::new() };
        let title = format!("{what}{of}, the most expensive first");
        outln!("\n{}", styled(HEADING, &title));
        print_table(&changed[..listed], index, report);
        if listed < changed.len() {
            outln!("and {} (--all)", count_noun((changed.len() - listed) as u64, "other turn"));
        }
    }
}

/// Prints two lines for each turn of a backtest: first its cost and models, then the deciding rule and the message.
/// `index` selects one of the compared policies.
fn print_table(rows: &[&TurnRow], index: usize, report: &Report) {
    let mut table = Table::new(&["STARTED", "TURN", "BEFORE", "AFTER", ">COST", ">NEW"]);
    let mut details = Vec::new();
    for row in rows {
        let Some(new) = row.new.get(index) else { continue };
        let id = row.turn.to_string();
        table.add_row([
            local_time(row.at).chars().take(16).collect(),
            id.chars().take(8).collect(),
            model_name(&row.old.model),
            model_name(&new.model),
            dollars(row.old.nano_usd),
            dollars(new.nano_usd),
        ]);
        let message = row.message.as_deref().unwrap_or("(text not recorded)");
        let project = row.workspace.as_deref().unwrap_or("(none)");
        let risk = if new.model == row.old.model {
            String::new()
        } else {
            format!("success {}; ", success_text(report.success.in_project(project, &new.model)))
        };
        details.push(truncate(&format!("  {}: {risk}{message}", new.rule), 80).to_owned());
    }
    table.print_with_details(&details, FAINT);
}

/// Returns the name of a model without its provider, cut to 17 characters.
fn model_name(model: &str) -> String {
    let name = model.split_once(':').map_or(model, |(_, name)| name);
    name.chars().take(17).collect()
}
