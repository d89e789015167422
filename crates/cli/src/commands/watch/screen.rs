//! The screen of `watch`, within the size of the terminal.

use anstyle::Style;
use contracts::CallRole;
use engine::RouterState;
use event_core::Timestamp;
use serde_json::Value;

use crate::{
    commands::turn_row,
    screen::{BAD, FAINT, HEADING, NOTICE, count_noun, fit, truncate},
};

/// The number of columns from which the client is shown.
const WIDE: usize = 110;

/// The maximum number of lines of notices.
const MAX_NOTICE_LINES: usize = 3;

/// The width and height of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Characters in a line.
    pub(super) columns: usize,
    /// Lines of the screen.
    pub(super) lines: usize,
}

/// Returns the styled lines of the screen: the spending of the day, outages and the latest turns. `rows` are the turns,
/// newest first. Every line fits the width of `size`; turns that exceed its height are left out, oldest first.
pub(super) fn screen(rows: &[Value], state: &RouterState, now: Timestamp, size: Size) -> Vec<(Style, String)> {
    let mut lines = vec![(HEADING, spending(state, now))];
    let models = models_of_today(state, now);
    if !models.is_empty() {
        lines.push((FAINT, models));
    }
    lines.extend(outages(state, now).into_iter().map(|outage| (BAD, outage)));
    lines.push((FAINT, String::new()));
    lines.push((HEADING, row_line(None, size.columns)));
    let notices = notices(rows);
    // One line is for the footer, and the cursor stays on it.
    let room = size.lines.saturating_sub(lines.len() + notices.len() + 1);
    lines.extend(rows.iter().take(room).map(|row| (Style::new(), row_line(Some(row), size.columns))));
    lines.extend(notices.into_iter().map(|notice| (NOTICE, notice)));
    lines.push((FAINT, "Ctrl-C ends · turnwise why TURN · the gateway's page shows more".to_owned()));
    lines.into_iter().map(|(style, line)| (style, truncate(&line, size.columns).trim_end().to_owned())).collect()
}

/// Formats the spending of the UTC day of `now`, in total and by role.
fn spending(state: &RouterState, now: Timestamp) -> String {
    let day = state.costs.latest_day().filter(|day| day.day == now.utc_day());
    let roles = CallRole::ALL.into_iter().filter_map(|role| Some((role, day?.roles.get(&role)?)));
    let roles: Vec<_> = roles.map(|(role, total)| format!("{} {}", role.name(), total.cost)).collect();
    format!("Today {}   {}", state.costs.spent_today(now), roles.join(" · "))
}

/// Formats the models called on the UTC day of `now`, with their cost and number of calls.
fn models_of_today(state: &RouterState, now: Timestamp) -> String {
    let day = state.costs.latest_day().filter(|day| day.day == now.utc_day());
    let models = day.iter().flat_map(|day| &day.models).map(|(model, total)| {
        format!("{} {} ({})", turn_row::short_model(model.as_str()), total.cost, count_noun(total.calls, "call"))
    });
    models.collect::<Vec<_>>().join(" · ")
}

/// Formats each provider or model that is unavailable at `now`, with the seconds until its outage ends.
fn outages(state: &RouterState, now: Timestamp) -> Vec<String> {
    let outages = state.availability.outages_at(now);
    let providers = outages.providers.iter().map(|(name, until)| (name.to_string(), *until));
    let models = outages.models.iter().map(|(name, until)| (name.to_string(), *until));
    let current = providers.chain(models).filter(|(_, until)| now < *until);
    current
        .map(|(name, until)| {
            let seconds = until.micros_since(now) / 1_000_000;
            // An outage of a refused key ends only when the key changes.
            if seconds < 86_400 {
                format!("unavailable: {name} for {seconds} s")
            } else {
                format!("unavailable: {name}")
            }
        })
        .collect()
}

/// Formats the notices of the newest turn that has some: models that were passed over or are unavailable, budgets, and
/// recommendations.
fn notices(rows: &[Value]) -> Vec<String> {
    let Some(row) = rows.iter().find(|row| turn_row::has_notices(row)) else { return Vec::new() };
    let mut lines = turn_row::notice_lines(row);
    lines.truncate(MAX_NOTICE_LINES);
    if let Some(first) = lines.first_mut() {
        *first = format!("! {} {first}", turn_row::short_id(row));
    }
    lines
}

/// Formats a turn as one line of at most `columns` columns, or the titles of the columns if `row` is `None`.
fn row_line(row: Option<&Value>, columns: usize) -> String {
    let is_wide = WIDE <= columns;
    let cell = |title: &str, value: fn(&Value) -> String, width: usize| {
        fit(&row.map_or_else(|| title.to_owned(), value), width)
    };
    let mut cells = vec![cell("TIME", |row| turn_row::time(row, false), 5), cell("TURN", turn_row::short_id, 8)];
    if is_wide {
        cells.push(cell("CLIENT", |row| row["client"].as_str().unwrap_or_default().to_owned(), 12));
    }
    cells.push(cell("STATUS", |row| turn_row::status(row).to_owned(), 7));
    cells.push(cell("MODEL", turn_row::model, 17));
    cells.push(cell("WHY", turn_row::why, if is_wide { 28 } else { 16 }));
    let cost = row.map_or_else(|| "COST".to_owned(), turn_row::cost);
    cells.push(format!("{cost:>7}"));
    let message = |row: &Value| {
        let mark = if turn_row::has_notices(row) { "! " } else { "" };
        format!("{mark}{}", turn_row::message(row))
    };
    cells.push(row.map_or_else(|| "MESSAGE".to_owned(), message));
    cells.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn the_newest_turns_and_the_spending_fit_a_small_terminal() {
        let rows: Vec<_> = (0..50)
            .map(|number| {
                json!({
                    "at": "2026-11-22T12:00:00Z", "turn": format!("{number:08x}ffff"), "status": "completed",
                    "model": "anthropic:claude-opus-4-5-20251101", "slot": "WORKSPACE_DEFAULT", "rule": null,
                    "reason": "client requested \"opus\"", "cost": 1_230_000_000_u64, "message": "読む ".repeat(60),
                })
            })
            .collect();
        let size = Size { columns: 80, lines: 24 };
        let lines = screen(&rows, &RouterState::default(), Timestamp(0), size);
        assert!(lines.len() <= 24, "{}", lines.len());
        assert!(lines.iter().all(|(_, line)| line.width() <= 80), "{lines:#?}");
        assert!(lines[0].1.starts_with("Today $0"), "{lines:#?}");
        assert!(
            lines.iter().any(|(_, line)| line.contains("00000000 ok") && line.contains("as requested")),
            "{lines:#?}"
        );
        let mut noticed = rows.clone();
        noticed[3]["notices"] = json!([
            "Routing to anthropic:claude-haiku-5-5 per rule \"x\"\n  Pattern store suggests anthropic:claude-opus-5-5"
        ]);
        let lines = screen(&noticed, &RouterState::default(), Timestamp(0), size);
        assert!(lines.len() == 24 && lines.iter().all(|(_, line)| line.width() <= 80), "{lines:#?}");
        assert!(lines[21].1.starts_with("! 00000003 Routing to anthropic:claude-haiku-5-5"), "{lines:#?}");
        assert_eq!(lines[22].1, "Pattern store suggests anthropic:claude-opus-5-5");
        assert_eq!(lines.iter().filter(|(_, line)| line.contains("! 読む")).count(), 1, "{lines:#?}");
        let wide = screen(&rows, &RouterState::default(), Timestamp(0), Size { columns: 140, lines: 60 });
        assert_eq!(wide.iter().filter(|(_, line)| line.contains(" ok ")).count(), 50);
    }
}
