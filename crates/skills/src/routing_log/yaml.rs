//! The routing log as YAML, one document for each record (000 What to Log).

use std::fmt::Write as _;

use super::{
    markdown::format_confidence,
    record::{RoutingRecord, TreeResult},
};

/// Formats records as YAML documents, each with the mapping `routing_record`. Texts are quoted; absent values are `null`.
pub fn routing_yaml(records: &[RoutingRecord]) -> String {
    records.iter().map(format_record).collect()
}

/// Formats one record.
fn format_record(record: &RoutingRecord) -> String {
    let matched = record
        .matched
        .iter()
        .map(|one| format!("{{ keyword: {}, skill: {} }}", quote(&one.keyword), slash(&one.skill)));
    let suppressed = record.suppressed.iter().map(|one| {
        let by = quote(&one.suppressed_by);
        format!("{{ keyword: {}, skill: {}, suppressed_by: {by} }}", quote(&one.keyword), slash(&one.skill))
    });
    let alternatives = record
        .alternatives
        .iter()
        .map(|one| format!("{{ skill: {}, reason: {} }}", slash(&one.skill), quote(&one.reason)));
    let loaded = record.outcome.loaded();
    let others = loaded.iter().skip(1).chain(&record.secondary);
    let correction = record.correction.as_ref();
    let fields = [
        ("timestamp", quote(&format_time(record))),
        ("request_id", quote(&record.turn.map_or(record.event, |turn| turn.0).to_string())),
        ("session_id", quote(record.session.as_str())),
        ("user_request_summary", quote(&record.summary)),
        ("request_token_count", record.request_tokens.map_or_else(null, |tokens| tokens.to_string())),
        ("routing_method", quote(record.method())),
        ("layer_reached", record.layer_reached.to_string()),
        ("l1_outcome", record.keyword.map_or_else(null, |outcome| quote(outcome.name()))),
        ("tree_resolved", record.tree.map_or_else(null, |tree| (tree == TreeResult::Resolved).to_string())),
        ("matched_keywords", block(matched)),
        ("suppressed_matches", block(suppressed)),
        ("outcome", quote(record.outcome.name())),
        ("selected_skill", loaded.first().map_or_else(null, |skill| slash(skill))),
        ("secondary_skills", format!("[{}]", others.map(|skill| slash(skill)).collect::<Vec<_>>().join(", "))),
        ("confidence", record.confidence.map_or_else(null, format_confidence)),
        ("alternatives_considered", block(alternatives)),
        ("user_corrected", correction.is_some().to_string()),
        ("correction_target", correction.and_then(|one| one.target.as_deref()).map_or_else(null, slash)),
        ("routing_token_cost", record.routing_tokens.to_string()),
    ];
    let mut text = String::from("---\nrouting_record:\n");
    for (name, value) in fields {
        let space = if value.starts_with('\n') { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name}:{space}{value}");
    }
    text
}

/// Formats the time of a record by RFC 3339 in UTC.
fn format_time(record: &RoutingRecord) -> String {
    let micros = i64::try_from(record.at.0).unwrap_or(i64::MAX);
    jiff::Timestamp::from_microsecond(micros).map_or_else(|_| "unknown".to_owned(), |time| time.to_string())
}

/// Formats the items of a list on lines of their own; `[]` if there are none.
fn block(items: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = items.collect();
    if lines.is_empty() { "[]".to_owned() } else { format!("\n    - {}", lines.join("\n    - ")) }
}

/// Formats an absent value.
fn null() -> String {
    "null".to_owned()
}

/// Formats the name of a skill with its slash.
fn slash(skill: &str) -> String {
    quote(&format!("/{skill}"))
}

/// Formats a text in double quotes. Control characters are escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
