//! Formats the observations of the layers of a skill choice, one line for each fact.

use std::fmt::Write as _;

use contracts::{KeywordEvidence, KeywordResolution, SkillScore, TreeEvidence};

/// The number of scores that are listed.
const MAX_SCORES: usize = 3;
/// The length of a line in characters: the part of an 80-column terminal behind slot and verdict.
const MAX_LINE: usize = 35;

/// Describes in a few words why the keyword layer won.
pub(super) fn keyword_summary(evidence: &KeywordEvidence) -> String {
    let words: Vec<_> = evidence.matched.iter().map(|found| found.keyword.as_str()).collect();
    match words.as_slice() {
        [] => "keywords".to_owned(),
        [word] => format!("keyword \"{word}\""),
        [first, rest @ ..] => format!("keyword \"{first}\" and {} more", rest.len()),
    }
}

/// Returns the lines about the keywords: the step that decided, the matches of each skill, suppressed matches, compounds.
pub(super) fn keyword_lines(evidence: &KeywordEvidence) -> Vec<String> {
    let mut lines = vec![resolution_text(evidence.resolution, evidence.suppressed.is_empty()).to_owned()];
    for candidate in &evidence.candidates {
        let own = evidence.matched.iter().filter(|found| found.skill == candidate.skill);
        let words: Vec<_> = own.map(|found| found.keyword.as_str()).collect();
        let head = match candidate.priority {
            Some(priority) => format!("{} (priority {priority}): ", candidate.skill),
            None => format!("{}: ", candidate.skill),
        };
        push_wrapped(&mut lines, &head, &words);
    }
    for suppressed in &evidence.suppressed {
        lines.push(format!("not {}: \"{}\"", suppressed.skill, suppressed.keyword));
        lines.push(format!("  suppressed by \"{}\"", suppressed.suppressed_by));
    }
    lines.extend(evidence.partial.iter().map(|partial| format!("{} in part: {}", partial.skill, partial.trigger)));
    if !evidence.overflow.is_empty() {
        let words: Vec<_> = evidence.overflow.iter().map(String::as_str).collect();
        push_wrapped(&mut lines, "not loaded: ", &words);
    }
    lines
}

/// Describes the step of the keyword layer that decided.
const fn resolution_text(resolution: Option<KeywordResolution>, nothing_suppressed: bool) -> &'static str {
    match resolution {
        None if nothing_suppressed => "no keyword occurs",
        None => "every match is suppressed",
        Some(KeywordResolution::Single) => "one skill matches",
        Some(KeywordResolution::Compound) => "a phrase or compound decides",
        Some(KeywordResolution::Priority) => "the priority decides",
        Some(KeywordResolution::Combined) => "skills of several clauses",
        Some(KeywordResolution::Overflow) => "more skills than are combined",
        Some(KeywordResolution::Ambiguous) => "priorities are too close",
    }
}

/// Returns the lines about the decision tree: its signals, then the row.
pub(super) fn tree_lines(evidence: &TreeEvidence) -> Vec<String> {
    let or_none = |text: String| if text.is_empty() { "none".to_owned() } else { text };
    let criticality = evidence.criticality.map_or("unknown", |level| level.name());
    let mut lines = vec![
        evidence
            .task
            .as_ref()
            .map_or_else(|| "task none".to_owned(), |(task, word)| format!("task {task} (\"{word}\")")),
        format!("criticality {criticality}"),
        format!("prior {}", evidence.prior.as_deref().unwrap_or("none")),
        format!("files {}", or_none(evidence.extensions.join(" "))),
    ];
    lines.push(evidence.row.map_or_else(|| "no row decides".to_owned(), |row| format!("row {row} decides")));
    lines.extend(evidence.agent.iter().map(|agent| format!("agent {agent}")));
    lines
}

/// Returns the lines about the scores: one for each of the highest, with its components.
pub(super) fn score_lines(scores: &[SkillScore]) -> Vec<String> {
    let mut lines = Vec::new();
    for score in scores.iter().take(MAX_SCORES) {
        lines.push(format!("{} {}", score.skill, score.total));
        let mut parts = format!("  intent {}", score.intent);
        let components = [("artifact", score.artifact), ("stack", score.stack), ("risk", score.risk)];
        for (name, points) in components {
            if let Some(points) = points {
                let _ = write!(parts, ", {name} {points}");
            }
        }
        lines.push(parts);
        if score.ambiguity != 0 || score.scope != 0 {
            lines.push(format!("  minus ambiguity {}, scope {}", score.ambiguity, score.scope));
        }
    }
    if lines.is_empty() {
        lines.push("no skill has a score".to_owned());
    }
    lines
}

/// Splits a text at its spaces into lines of at most [`MAX_LINE`] characters; all but the first are indented. A longer word
/// has a line of its own.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < MAX_LINE => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Adds words behind `head`, separated by commas, in lines of at most [`MAX_LINE`] characters. A longer word has a line
/// of its own.
fn push_wrapped(lines: &mut Vec<String>, head: &str, words: &[&str]) {
    let mut line = head.to_owned();
    for (index, word) in words.iter().enumerate() {
        let separator = if index + 1 < words.len() { "," } else { "" };
        let length = line.chars().count() + word.chars().count() + separator.len();
        if MAX_LINE < length && !line.trim().is_empty() {
            lines.push(line.trim_end().to_owned());
            "  ".clone_into(&mut line);
        }
        let _ = write!(line, "{word}{separator} ");
    }
    lines.push(line.trim_end().to_owned());
}
