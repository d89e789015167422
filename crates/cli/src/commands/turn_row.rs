//! Formats a turn for tables and lines. A turn is a *row*: the JSON object that the gateway's API returns for it.

use contracts::NanoUsd;
use serde_json::Value;

use crate::screen::escape_line;

/// Returns a text field of a turn; empty if it is missing.
fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

/// Returns the local start time of a turn, as `14:03`, or `14:03:07` with seconds; its date if that is not `today`.
pub(crate) fn time(row: &Value, seconds: bool) -> String {
    let at = text(row, "at").parse::<jiff::Timestamp>().ok();
    let format = if seconds { "%H:%M:%S" } else { "%H:%M" };
    at.map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string()).unwrap_or_default()
}

/// Returns the local date and time of a turn, as `05-19 14:03`.
pub(crate) fn date_time(row: &Value) -> String {
    let at = text(row, "at").parse::<jiff::Timestamp>().ok();
    at.map(|at| at.to_zoned(jiff::tz::TimeZone::system()).strftime("%m-%d %H:%M").to_string()).unwrap_or_default()
}

/// Returns the start of the turn's id, which `why` accepts.
pub(crate) fn short_id(row: &Value) -> String {
    text(row, "turn").chars().take(8).collect()
}

/// Returns the name of the turn's model, without its provider and the prefix `claude-`.
pub(crate) fn model(row: &Value) -> String {
    short_model(text(row, "model"))
}

/// Shortens a model id: `anthropic:claude-opus-5-5` to `opus-5-5`.
pub(crate) fn short_model(id: &str) -> String {
    let name = id.split_once(':').map_or(id, |(_, name)| name);
    name.strip_prefix("claude-").unwrap_or(name).to_owned()
}

/// Returns in a few words why the model of a turn was chosen: the rule or the slot that decided, or the kind of
/// auxiliary call.
pub(crate) fn why(row: &Value) -> String {
    if let Some(kind) = row["auxiliary"].as_str() {
        return kind.to_owned();
    }
    let policy = || row["policy_choice"]["model"].as_str();
    if row["imported"] == true {
        return match policy() {
            Some(model) if model == text(row, "model") => "imported".to_owned(),
            Some(model) => format!("imported; policy: {}", short_model(model)),
            None => "imported".to_owned(),
        };
    }
    let slot = text(row, "slot");
    let is_requested = slot == "WORKSPACE_DEFAULT" && text(row, "reason").starts_with("client requested \"");
    reason_words(slot, row["rule"].as_str(), is_requested)
}

/// Returns why a model was chosen, in a few words: the name of the rule if there is one, otherwise the words for the
/// slot. `is_requested` is whether the client requested this model.
pub(crate) fn reason_words(slot: &str, rule: Option<&str>, is_requested: bool) -> String {
    match rule {
        Some(rule) => escape_line(rule).into_owned(),
        None if is_requested => "as requested".to_owned(),
        None => slot_label(slot).to_owned(),
    }
}

/// Returns the label of a slot of the decision chain in the JSON of a turn; an unknown slot is returned as it is.
pub(crate) fn slot_label(slot: &str) -> &str {
    match slot {
        "PER_MESSAGE_OVERRIDE" => "@ mention",
        "MANUAL_STICKY" => "session model",
        "CONFIGURED_RULES" => "rule",
        "PATTERN_RECOMMENDATION" => "learned",
        "DELEGATE_REQUEST" => "tier",
        "WORKSPACE_DEFAULT" => "workspace default",
        "GLOBAL_DEFAULT" => "global default",
        "BUDGET" => "budget",
        "SKILL_WISH" => "skill",
        "LAST_RESORT" => "last resort",
        "TURN_LOCK" => "turn continues",
        other => other,
    }
}

/// Returns the status of a turn as a word of at most seven letters, such as `ok` or `failed`.
pub(crate) fn status(row: &Value) -> &'static str {
    match text(row, "status") {
        "completed" => "ok",
        "cancelled" => "stopped",
        "refused" => "refused",
        "failed" => "failed",
        _ => "running",
    }
}

/// Returns the cost of a turn in dollars; empty if none of its calls has a known price.
pub(crate) fn cost(row: &Value) -> String {
    row["cost"].as_u64().map(|nano| NanoUsd(nano).to_string()).unwrap_or_default()
}

/// Returns the duration of a turn's model calls, as `12.3 s`; empty if it is unknown.
pub(crate) fn duration(row: &Value) -> String {
    row["latency_ms"]
        .as_u64()
        .map(|millis| format!("{}.{} s", millis / 1_000, millis % 1_000 / 100))
        .unwrap_or_default()
}

/// Returns whether the decision of a turn has notices for the user. `row` is the turn in the JSON of the gateway's API.
pub(crate) fn has_notices(row: &Value) -> bool {
    row["notices"].as_array().is_some_and(|notices| !notices.is_empty())
}

/// Returns the lines of a turn's notices, without control characters.
pub(crate) fn notice_lines(row: &Value) -> Vec<String> {
    let notices = row["notices"].as_array().into_iter().flatten().filter_map(Value::as_str);
    notices.flat_map(str::lines).map(|line| escape_line(line.trim()).into_owned()).collect()
}

/// Returns the start of a turn's message, on one line and without control characters.
pub(crate) fn message(row: &Value) -> String {
    escape_line(text(row, "message")).into_owned()
}

/// Formats a turn that has ended as one line of at most 79 columns: time, id, model, reason, cost, and the duration or, if
/// it was not completed, the status.
pub(crate) fn line(row: &Value) -> String {
    let last = match status(row) {
        "ok" => duration(row),
        other => other.to_owned(),
    };
    let (time, id, cost) = (time(row, true), short_id(row), cost(row));
    format!("{time} {id} {:<18} {:<24} {cost:>8} {last:>8}", model(row), why(row))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_turn_is_a_line_with_its_model_reason_cost_and_duration() {
        let row = json!({
            "at": "2026-11-22T12:00:01.000Z", "turn": "24a82cb0f4357b4dfb7d390ffd77d9f6", "status": "completed",
            "model": "anthropic:claude-haiku-5-5", "slot": "CONFIGURED_RULES", "rule": "fast for commits", "reason": "",
            "cost": 3_400_000, "latency_ms": 2_160,
        });
        let line = line(&row);
        assert!(line.contains("24a82cb0 haiku-5-5 ") && line.contains(" fast for commits "), "{line}");
        assert!(line.contains(" $0.00") && line.ends_with("2.1 s"), "{line}");
        assert!(line.chars().count() <= 80, "{line}");
    }

    #[test]
    fn a_refused_title_names_both() {
        let row = json!({
            "at": "2026-11-22T12:00:01.000Z", "turn": "24a82cb0f4357b4dfb7d390ffd77d9f6", "auxiliary": "title",
            "status": "refused", "model": null,
        });
        assert!(line(&row).contains("title") && line(&row).ends_with("refused"));
        assert_eq!(line(&row).chars().count(), 79);
    }

    #[test]
    fn the_requested_model_is_not_called_a_default() {
        let row =
            json!({ "slot": "WORKSPACE_DEFAULT", "reason": "client requested \"opus\" → anthropic:claude-opus-5-5" });
        assert_eq!(why(&row), "as requested");
    }

    #[test]
    fn a_message_cannot_control_the_terminal() {
        let row = json!({ "message": "red \u{1b}[31m text" });
        assert_eq!(message(&row), "red \\u{1b}[31m text");
    }
}
