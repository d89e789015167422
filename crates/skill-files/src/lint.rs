//! Checks the files of skills against the rules for their authors.

use std::path::PathBuf;

use skills::{
    Finding, FindingCode, MAX_MANIFEST_BYTES, Skill, TableKeywords, TriggerTable, lint_catalogue, lint_instructions,
    lint_keywords,
};

use crate::{SkillRoot, SkillSet, text_file::read_limited};

/// The maximum length of a file that is checked, in bytes. A longer one has a finding of its reading.
const MAX_BYTES: u64 = MAX_MANIFEST_BYTES as u64 * 2;

/// Returns all findings about skills, sorted by path and line: those of the rules for authors, for which every file of a skill is read,
/// those of keywords and of the list of all skills, and those of reading, in `set` and in `others`, the findings about tables
/// and lists. `roots` are the folders from which `set` was read.
pub fn lint_skills(roots: &[SkillRoot], set: &SkillSet, table: &TriggerTable, others: &[Finding]) -> Vec<Finding> {
    let mut findings = set.findings.clone();
    findings.extend(others.iter().cloned());
    findings.extend(set.index.skills().iter().flat_map(|skill| lint_file(roots, skill)));
    let rows = table.rows.iter();
    let rows: Vec<_> =
        rows.map(|row| TableKeywords { skill: &row.skill, keywords: &row.keywords, line: row.line }).collect();
    let path = (!table.path.is_empty()).then_some(table.path.as_str());
    findings.extend(lint_keywords(&set.index, path, &rows));
    findings.extend(lint_catalogue(&set.index, "all skills"));
    findings.sort();
    findings
}

/// Reads the file of a skill and checks it. Empty for a skill without a file in `roots`.
fn lint_file(roots: &[SkillRoot], skill: &Skill) -> Vec<Finding> {
    let Some(path) = file_of(roots, &skill.path) else { return Vec::new() };
    let read = std::fs::metadata(&path).and_then(|metadata| {
        // A pipe would block the reader.
        if metadata.is_file() { read_limited(&path, MAX_BYTES) } else { Err(std::io::ErrorKind::InvalidInput.into()) }
    });
    match read {
        Ok(Some(bytes)) => lint_instructions(&bytes, skill),
        // The reading of the skill has reported it.
        Ok(None) => Vec::new(),
        Err(error) => {
            vec![Finding::of_file(&skill.path, FindingCode::Unreadable, format!("the file cannot be read: {error}"))]
        }
    }
}

/// Returns the file at the recorded path of a skill; `None` if it is in none of the folders.
fn file_of(roots: &[SkillRoot], path: &str) -> Option<PathBuf> {
    roots.iter().find_map(|root| {
        let rest = path.strip_prefix(root.shown.as_str())?.strip_prefix('/')?;
        Some(root.dir.join(rest))
    })
}
