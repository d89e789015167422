//! The routing log as a markdown table (000 Structured Log Format).

use std::fmt::Write as _;

use contracts::{Score, SkillOutcome, SkillSlot};

use super::record::RoutingRecord;

/// The cell without a value.
const EMPTY: &str = "--";

/// Formats records as a markdown section with a table, one row for each record in their order.
pub fn routing_table(records: &[RoutingRecord]) -> String {
    let mut text = String::from(
        "### Routing Decisions\n\n\
         | # | Method | Layer | Selected Skill | Keywords Matched | Suppressed | Confidence | User Corrected |\n\
         |---|--------|-------|----------------|------------------|------------|------------|----------------|\n",
    );
    for (number, record) in (1..).zip(records) {
        let cells = [
            record.method().to_owned(),
            record.layer_reached.to_string(),
            selected(&record.outcome),
            matched(record),
            list(
                record.suppressed.iter().map(|one| format!("/{} (suppressed by \"{}\")", one.skill, one.suppressed_by)),
            ),
            record.confidence.map_or_else(|| EMPTY.to_owned(), format_confidence),
            corrected(record),
        ];
        // Writing to a string cannot fail.
        let _ = write!(text, "| {number} ");
        for cell in cells {
            let _ = write!(text, "| {} ", escape_cell(&cell));
        }
        text.push_str("|\n");
    }
    text
}

/// Formats the selected skills, or the outcome without one.
fn selected(outcome: &SkillOutcome) -> String {
    match outcome {
        SkillOutcome::Load { skills, .. } => list(skills.iter().map(|skill| format!("/{skill}"))),
        SkillOutcome::Defer { skill } => format!("-- (deferred: /{skill})"),
        SkillOutcome::Ask { .. } => "-- (asked)".to_owned(),
        SkillOutcome::None => EMPTY.to_owned(),
    }
}

/// Formats the keywords that count, each once.
fn matched(record: &RoutingRecord) -> String {
    if record.slot == SkillSlot::Explicit {
        return "-- (slash command)".to_owned();
    }
    let mut keywords: Vec<&str> = record.matched.iter().map(|matched| matched.keyword.as_str()).collect();
    keywords.sort_unstable();
    keywords.dedup();
    list(keywords.into_iter().map(str::to_owned))
}

/// Formats whether the user corrected the decision, and to which skill.
fn corrected(record: &RoutingRecord) -> String {
    match &record.correction {
        None => "No".to_owned(),
        Some(correction) => match &correction.target {
            Some(skill) => format!("Yes (/{skill})"),
            None => "Yes (no skill)".to_owned(),
        },
    }
}

/// Joins texts with commas; two hyphens if there are none.
fn list(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { EMPTY.to_owned() } else { texts.join(", ") }
}

/// Formats a confidence with one or two decimals, such as `1.0` and `0.75`.
pub(super) fn format_confidence(confidence: Score) -> String {
    let text = confidence.to_string();
    text.strip_suffix('0').map_or(text.clone(), str::to_owned)
}

/// Escapes a text for a cell: bars, and characters that end a line or control a terminal.
fn escape_cell(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect::<String>().replace('|', "\\|")
}
