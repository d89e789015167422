//! Parses files of labelled requests.

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, FindingCode};

/// A request with the skills that it should load. Skills are named as in the index, without a slash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingCase {
    /// The line in the file, or the position in a JSON array, from 1.
    pub line: u32,
    /// The request.
    pub prompt: String,
    /// The skills that the request needs; empty if it needs none.
    pub expected: Vec<String>,
    /// The skills that may be loaded in addition or instead.
    pub acceptable: Vec<String>,
}

/// A case as the known files write it.
#[derive(Debug, Deserialize)]
struct CaseEntry {
    /// The request.
    #[serde(alias = "user_prompt", alias = "query")]
    prompt: String,
    /// The skills that the request needs.
    expected_skills: Option<Vec<String>>,
    /// The skills that are accepted as well.
    #[serde(default)]
    acceptable_skills: Vec<String>,
    /// Whether any skill is needed.
    should_activate: Option<bool>,
    /// Whether the skill of the file is needed, in a file about one skill.
    should_trigger: Option<bool>,
}

/// Parses cases: JSON Lines with `prompt` (or `user_prompt`), `expected_skills`, `acceptable_skills` and
/// `should_activate`, or a JSON array of `query` and `should_trigger` about one skill, `skill`. `path` is the path of the
/// file in findings.
///
/// # Errors
/// [`FindingCode::InvalidCase`] with the line of the first case that cannot be used.
pub fn parse_cases(text: &str, path: &str, skill: Option<&str>) -> Result<Vec<RoutingCase>, Finding> {
    let invalid = |line: u32, message: String| Finding::at_line(path, line, FindingCode::InvalidCase, message);
    let entries: Vec<(u32, CaseEntry)> = if text.trim_start().starts_with('[') {
        let entries: Vec<CaseEntry> = serde_json::from_str(text)
            .map_err(|error| invalid(u32::try_from(error.line()).unwrap_or(u32::MAX), error.to_string()))?;
        (1..).zip(entries).collect()
    } else {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        let parse = |(line, text): (u32, &str)| {
            serde_json::from_str(text).map(|entry| (line, entry)).map_err(|error| invalid(line, error.to_string()))
        };
        lines.map(parse).collect::<Result<_, _>>()?
    };
    entries.into_iter().map(|(line, entry)| convert(line, entry, skill).map_err(|text| invalid(line, text))).collect()
}

/// Converts an entry to a case.
///
/// # Errors
/// The reason why its label cannot be used.
fn convert(line: u32, entry: CaseEntry, skill: Option<&str>) -> Result<RoutingCase, String> {
    let plain = |names: Vec<String>| names.iter().map(|name| name.trim_start_matches('/').to_owned()).collect();
    let expected: Vec<String> = match (entry.expected_skills, entry.should_trigger, skill) {
        (Some(names), _, _) => plain(names),
        (None, Some(true), Some(skill)) => vec![skill.to_owned()],
        (None, Some(false), Some(_)) => Vec::new(),
        (None, Some(_), None) => return Err("`should_trigger` is about one skill: name it with `--skill`".to_owned()),
        (None, None, _) => return Err("`expected_skills` is missing".to_owned()),
    };
    if entry.should_activate.is_some_and(|needed| needed == expected.is_empty()) {
        return Err("`should_activate` contradicts `expected_skills`".to_owned());
    }
    Ok(RoutingCase { line, prompt: entry.prompt, expected, acceptable: plain(entry.acceptable_skills) })
}
