//! Compares the keywords of the trigger table with those of `SKILL.md` files.

use crate::{
    finding::{Finding, FindingCode},
    index::SkillIndex,
    skill::Skill,
};

/// The smallest number of keywords of a skill.
const MIN_KEYWORDS: usize = 3;
/// The number of keywords that a message lists.
const MAX_LISTED: usize = 5;

/// The keywords of one row of a trigger table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableKeywords<'a> {
    /// The name of the skill, without a leading slash.
    pub skill: &'a str,
    /// The positive keywords.
    pub keywords: &'a [String],
    /// The line of the row in the file of the table, from 1.
    pub line: u32,
}

/// Checks that every skill has at least three keywords, that the table and the `SKILL.md` files agree, and that every
/// row has a skill and every skill a row. `table` is the path of the file with the table, `None` without a table; then
/// only the keywords of `SKILL.md` files are counted.
pub fn lint_keywords(index: &SkillIndex, table: Option<&str>, rows: &[TableKeywords<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in rows {
        let path = table.unwrap_or_default();
        let skill = index.get(row.skill);
        if let Some(skill) = skill {
            findings.extend(drift(skill, row, path));
        } else {
            let message = format!("no folder contains the skill `{}`: correct the name or install it", row.skill);
            findings.push(Finding::at_line(path, row.line, FindingCode::UnknownSkill, message));
        }
        let number = union(row.keywords, skill.map_or(&[], |skill| &skill.keywords)).len();
        if number < MIN_KEYWORDS {
            let message = few_keywords(row.skill, number);
            findings.push(Finding::at_line(path, row.line, FindingCode::FewKeywords, message));
        }
    }
    for skill in index.skills().iter().filter(|skill| !rows.iter().any(|row| row.skill == skill.name)) {
        if let Some(table) = table {
            let message = format!("{table} has no row for the skill `{}`", skill.name);
            findings.push(Finding::of_file(&skill.path, FindingCode::UnroutedSkill, message));
        }
        let number = skill.keywords.len();
        if (1..MIN_KEYWORDS).contains(&number) {
            let message = few_keywords(&skill.name, number);
            findings.push(Finding::of_file(&skill.path, FindingCode::FewKeywords, message));
        }
    }
    findings
}

/// Returns the message about a skill with fewer than [`MIN_KEYWORDS`].
fn few_keywords(skill: &str, number: usize) -> String {
    let noun = if number == 1 { "keyword" } else { "keywords" };
    format!("the skill `{skill}` has {number} {noun}, at least {MIN_KEYWORDS} are recommended: add synonyms")
}

/// Returns a finding about keywords that only the row or only the `SKILL.md` has; `None` if they agree or if the
/// `SKILL.md` has no keywords.
fn drift(skill: &Skill, row: &TableKeywords<'_>, path: &str) -> Option<Finding> {
    if skill.keywords.is_empty() {
        return None;
    }
    let only_file = difference(&skill.keywords, row.keywords);
    let only_table = difference(row.keywords, &skill.keywords);
    if only_file.is_empty() && only_table.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    if !only_file.is_empty() {
        parts.push(format!("only in {}: {}", skill.path, listed(&only_file)));
    }
    if !only_table.is_empty() {
        parts.push(format!("only in this row: {}", listed(&only_table)));
    }
    let message = format!("the keywords of `{}` differ; {}", skill.name, parts.join("; "));
    Some(Finding::at_line(path, row.line, FindingCode::KeywordDrift, message))
}

/// Returns the texts of `a` that `b` does not contain, ignoring case.
fn difference<'a>(a: &'a [String], b: &[String]) -> Vec<&'a str> {
    let is_missing = |text: &&String| !b.iter().any(|other| is_equal(text, other));
    a.iter().filter(is_missing).map(String::as_str).collect()
}

/// Returns the texts of both lists, each once.
fn union<'a>(a: &'a [String], b: &'a [String]) -> Vec<&'a str> {
    let mut texts: Vec<&str> = a.iter().map(String::as_str).collect();
    texts.extend(difference(b, a));
    texts
}

/// Compares keywords without regard to case and surrounding quotes.
fn is_equal(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.trim_matches(['"', '\'', '`', ' ']).to_lowercase();
    plain(a) == plain(b)
}

/// Formats the first texts of a list with the number of the others.
fn listed(texts: &[&str]) -> String {
    let shown: Vec<_> = texts.iter().take(MAX_LISTED).map(|text| format!("`{text}`")).collect();
    let more = texts.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
