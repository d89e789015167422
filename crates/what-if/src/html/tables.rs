//! The tables of the report, and the decision chains of the turns whose cost differs most.

use std::collections::{BTreeMap, BTreeSet};

use super::page::{escape, file_name};
use crate::{
    day::format_moment,
    money::{dollars, per_cent, signed},
    report::{PolicyResult, Report, TurnRow},
    success::success_text,
    totals::GroupTotal,
};

/// Maximum number of turns in the table of excluded turns.
const MAX_LISTED_TURNS: usize = 50;

/// A cell of an HTML table. Numbers and differences are aligned right.
enum Cell {
    /// A text.
    Text(String),
    /// A formatted number.
    Number(String),
    /// A difference in nano-dollars.
    Difference(i64),
}

/// Renders an HTML table. A column whose title starts with `>` is aligned right.
fn table(titles: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut html = "<div class=wide><table><tr>".to_owned();
    for title in titles {
        let (class, title) = title.strip_prefix('>').map_or(("", *title), |title| (" class=n", title));
        html += &format!("<th{class}>{}</th>", escape(title));
    }
    html += "</tr>";
    for row in rows {
        html += "<tr>";
        for cell in row {
            html += &match cell {
                Cell::Text(text) => format!("<td>{}</td>", escape(&text)),
                Cell::Number(text) => format!("<td class=n>{}</td>", escape(&text)),
                Cell::Difference(nano) => format!("<td class=\"n {}\">{}</td>", css_class(nano), signed(nano)),
            };
        }
        html += "</tr>";
    }
    html + "</table></div>"
}

/// Returns the CSS class of a difference in nano-dollars.
fn css_class(nano: i64) -> &'static str {
    match nano {
        0 => "soft",
        less if less < 0 => "less",
        _ => "more",
    }
}

/// Renders a table of all policies, cheapest first, with their difference from the baseline.
pub(super) fn ranking(report: &Report) -> String {
    let baseline_cost = report.old.all.nano_usd;
    let rows = report.new.iter().map(|result| {
        let cost = result.totals.all.nano_usd;
        vec![
            Cell::Text(file_name(&result.name)),
            Cell::Number(result.changed.to_string()),
            Cell::Number(dollars(cost)),
            Cell::Difference(cost.saturating_sub(baseline_cost)),
            Cell::Number(per_cent(cost.saturating_sub(baseline_cost), baseline_cost)),
        ]
    });
    table(&["Policy", ">Turns that change model", ">Cost", ">Difference", ">"], rows)
}

/// Renders a table of the turns and the cost of each group, under the baseline (`old`) and under a policy (`new`).
pub(super) fn groups(old: &BTreeMap<String, GroupTotal>, new: &BTreeMap<String, GroupTotal>) -> String {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let rows = names.into_iter().map(|name| {
        let total_of = |group: &BTreeMap<String, GroupTotal>| group.get(name).copied().unwrap_or_default();
        let (old, new) = (total_of(old), total_of(new));
        vec![
            Cell::Text(name.clone()),
            Cell::Number(old.turns.to_string()),
            Cell::Number(dollars(old.nano_usd)),
            Cell::Number(new.turns.to_string()),
            Cell::Number(dollars(new.nano_usd)),
            Cell::Difference(new.nano_usd.saturating_sub(old.nano_usd)),
        ]
    });
    table(&["", ">Turns before", ">Cost before", ">Turns after", ">Cost after", ">Difference"], rows)
}

/// Renders a matrix of the changes of model: rows are the models of the baseline, columns the models under the policy.
pub(super) fn switches(result: &PolicyResult) -> String {
    let to: BTreeSet<&String> = result.switches.values().flat_map(BTreeMap::keys).collect();
    if to.is_empty() {
        return "<p class=soft>No turn changes model.</p>".to_owned();
    }
    let titles: Vec<String> =
        std::iter::once("From \\ to".to_owned()).chain(to.iter().map(|name| format!(">{name}"))).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let rows = result.switches.iter().map(|(from, targets)| {
        let cell = |name: &&String| match targets.get(*name) {
            Some((turns, difference)) => Cell::Number(format!("{}, {}", counted(*turns, "turn"), signed(*difference))),
            None => Cell::Number("·".to_owned()),
        };
        std::iter::once(Cell::Text(from.clone())).chain(to.iter().map(cell)).collect()
    });
    table(&titles, rows)
}

/// Renders the turns whose cost differs most, each with both decision chains in a collapsed section.
pub(super) fn largest_changes(report: &Report) -> String {
    if report.largest.is_empty() {
        return "<p class=soft>No turn costs another amount.</p>".to_owned();
    }
    report.largest.iter().map(|row| turn_details(row, report)).collect()
}

/// Renders one turn as a collapsed section: its message, the known success of both models, and the decision chains.
fn turn_details(row: &TurnRow, report: &Report) -> String {
    let policy = report.largest_of;
    let Some(new_choice) = row.new.get(policy) else { return String::new() };
    let difference = row.difference(policy);
    let message = row.message.as_deref().filter(|message| !message.is_empty()).unwrap_or("(text not recorded)");
    let project = row.workspace.as_deref().unwrap_or("(none)");
    let success = |model: &str| escape(&success_text(report.success.in_project(project, model)));
    let old_label = if report.against == "recorded" { "ran" } else { "before" };
    let chain = |title: &str, chain: Option<&String>| {
        let Some(chain) = chain else { return String::new() };
        format!("<div><h3>{}</h3><pre>{}</pre></div>", escape(title), escape(chain))
    };
    format!(
        "<details><summary><span class={}>{}</span> {} → <b>{}</b> <span class=soft>by {}</span> \
         <span class=\"soft when\">{}, {}</span><br>{}</summary>\
         <p>{old_label}: {} at {}, success {}<br>new: {} at {}, success {}</p>\
         <p class=soft>turn {} of session {}</p><div class=chains>{}{}</div></details>",
        css_class(difference),
        signed(difference),
        escape(&row.old.model),
        escape(&new_choice.model),
        escape(&new_choice.rule),
        format_moment(row.at).replace('T', " "),
        counted(row.calls, "call"),
        escape(message),
        escape(&row.old.model),
        dollars(row.old.nano_usd),
        success(&row.old.model),
        escape(&new_choice.model),
        dollars(new_choice.nano_usd),
        success(&new_choice.model),
        row.turn,
        escape(row.session.as_str()),
        chain("Decided when it ran", row.old.chain.as_ref().filter(|_| report.against == "recorded")),
        chain("Decided by the new policy", new_choice.chain.as_ref()),
    )
}

/// Formats a number with its noun in singular or plural.
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Renders a table of the changes of model by project, with the known success of both models there.
pub(super) fn risks(report: &Report, result: &PolicyResult) -> String {
    if result.changes.is_empty() {
        return "<p class=soft>No turn changes model.</p>".to_owned();
    }
    let rows = result.changes.iter().map(|change| {
        let success = |model: &str| Cell::Text(success_text(report.success.in_project(&change.project, model)));
        vec![
            Cell::Text(change.project.clone()),
            Cell::Text(change.from.clone()),
            success(&change.from),
            Cell::Text(change.to.clone()),
            success(&change.to),
            Cell::Number(change.turns.to_string()),
            Cell::Difference(change.new_nano_usd.saturating_sub(change.old_nano_usd)),
        ]
    });
    table(&["Project", "From", "Success", "To", "Success", ">Turns", ">Difference"], rows)
}

/// Renders the number of turns that were excluded from the comparison by reason, and lists the first of them.
pub(super) fn excluded_turns(report: &Report) -> String {
    let reasons = report.excluded.iter().map(|(reason, total)| {
        vec![Cell::Number(total.turns.to_string()), Cell::Number(dollars(total.nano_usd)), Cell::Text(reason.clone())]
    });
    let turns = report.excluded_turns.iter().take(MAX_LISTED_TURNS).map(|turn| {
        vec![
            Cell::Text(format_moment(turn.at)),
            Cell::Text(turn.turn.to_string()),
            Cell::Text(turn.session.to_string()),
            Cell::Text(turn.reason.clone()),
        ]
    });
    let omitted_turns = report.excluded_turns.len().saturating_sub(MAX_LISTED_TURNS);
    let omission_note =
        if omitted_turns == 0 { String::new() } else { format!("<p class=soft>and {omitted_turns} more</p>") };
    format!(
        "<p>They cost {} as recorded, and are in no total.</p>{}<details><summary>The turns</summary>{}{omission_note}</details>",
        dollars(report.excluded_total().nano_usd),
        table(&[">Turns", ">Recorded cost", "Why"], reasons),
        table(&["Started", "Turn", "Session", "Why"], turns)
    )
}
