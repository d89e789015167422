//! The first lines of `why`: the message, the result and the cost of the turn.

use serde_json::Value;

use crate::{
    commands::turn_row,
    screen::{count_noun, truncate},
};

/// The maximum width of the message, in terminal columns.
const MESSAGE_COLUMNS: usize = 76;

/// Formats the first lines of `why`: the message of a turn, and its result and cost. `details` is the turn as the
/// gateway's API returns it.
pub(super) fn lines(details: &Value) -> Vec<String> {
    let row = &details["turn"];
    let mut lines = Vec::new();
    let message = turn_row::message(row);
    if !message.is_empty() {
        let start = truncate(&message, MESSAGE_COLUMNS);
        let cut = if start.len() < message.len() { "…" } else { "" };
        lines.push(format!("“{start}{cut}”"));
    }
    let count =
        |name: &str, noun: &str| row[name].as_u64().filter(|count| 0 < *count).map(|count| count_noun(count, noun));
    let mut parts = vec![row["status"].as_str().unwrap_or("running").to_owned()];
    parts.extend(count("calls", "call"));
    parts.extend(count("tools", "tool call"));
    parts.extend(Some(turn_row::cost(row)).filter(|cost| !cost.is_empty()));
    parts.extend(count("unpriced_calls", "unpriced call"));
    parts.extend(Some(turn_row::duration(row)).filter(|duration| !duration.is_empty()));
    lines.push(parts.join(" · "));
    let verdict = &details["verdict"];
    if let (Some(score), Some(confidence)) = (verdict["score"].as_str(), verdict["confidence"].as_str()) {
        let signals = verdict["says"].as_str().unwrap_or_default();
        lines.push(format!("scored {score} (confidence {confidence}): {signals}"));
    }
    lines
}
