//! The screen of `watch`, within the size of the terminal.

use anstyle::Style;
use contracts::CallRole;
use engine::RouterState;
use event_core::Timestamp;
use serde_json::Value;

use crate::{
    commands::turn_row,
    screen::{BAD, FAINT, HEADING, count_noun, fit, truncate},
};

/// The number of columns from which the client is shown.
const WIDE: usize = 110;

/// The width and height of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) columns: usize,
    pub(super) lines: usize,
}

/// Lays out the spending of the day, outages and the latest turns. `rows` are newest first. Every line fits the size, and
/// the newest turns and the spending are always visible.
pub(super) fn screen(rows: &[Value], state: &RouterState, now: Timestamp, size: Size) -> Vec<(Style, String)> {
    let mut lines = vec![(HEADING, spending(state, now))];
    let models = models_of_today(state, now);
    if !models.is_empty() {
        lines.push((FAINT, models));
    }
    lines.extend(outages(state, now).into_iter().map(|outage| (BAD, outage)));
    lines.push((FAINT, String::new()));
    lines.push((HEADING, row_line(None, size.columns)));
    // One line is for the footer, and the cursor stays on it.
    let room = size.lines.saturating_sub(lines.len() + 1);
    lines.extend(rows.iter().take(room).map(|row| (Style::new(), row_line(Some(row), size.columns))));
    lines.push((FAINT, "Ctrl-C ends · turnwise why TURN · the gateway's page shows more".to_owned()));
    lines.into_iter().map(|(style, line)| (style, truncate(&line, size.columns).trim_end().to_owned())).collect()
}

/// Formats the spending of the day, in all and by role.
fn spending(state: &RouterState, now: Timestamp) -> String {
    let day = state.costs.latest_day().filter(|day| day.day == now.utc_day());
    let roles = CallRole::ALL.into_iter().filter_map(|role| Some((role, day?.roles.get(&role)?)));
    let roles: Vec<_> = roles.map(|(role, total)| format!("{} {}", role.name(), total.cost)).collect();
    format!("Today {}   {}", state.costs.spent_today(now), roles.join(" · "))
}

/// Formats the models of the day with their cost.
fn models_of_today(state: &RouterState, now: Timestamp) -> String {
    let day = state.costs.latest_day().filter(|day| day.day == now.utc_day());
    let models = day.iter().flat_map(|day| &day.models).map(|(model, total)| {
        format!("{} {} ({})", turn_row::short_model(model.as_str()), total.cost, count_noun(total.calls, "call"))
    });
    models.collect::<Vec<_>>().join(" · ")
}

/// Formats the outages with the time until they end.
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

/// Formats a turn, or the titles without one, for a number of columns.
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
    cells.push(row.map_or_else(|| "MESSAGE".to_owned(), turn_row::message));
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
        let wide = screen(&rows, &RouterState::default(), Timestamp(0), Size { columns: 140, lines: 60 });
        assert_eq!(wide.iter().filter(|(_, line)| line.contains(" ok ")).count(), 50);
    }
}
