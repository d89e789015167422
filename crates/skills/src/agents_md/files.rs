//! [`AgentsFiles`], the AGENTS.md files of a workspace, and the rows that match a request (003 Hard Rules 2 and 4).

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{
    parse::{AgentsMd, SkillRow},
    task::{RequestTerms, TaskMatch},
};

/// An AGENTS.md with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentsFile {
    /// The path relative to the workspace, with `/` as separator, such as `packages/api/AGENTS.md`.
    pub path: String,
    /// The parsed content.
    pub content: AgentsMd,
}

/// The AGENTS.md files of a workspace, deepest directory first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentsFiles {
    /// The files.
    files: Vec<AgentsFile>,
}

/// A row that matches a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRow {
    /// The name of the skill.
    pub skill: String,
    /// The task of the row.
    pub task: String,
    /// The path of the AGENTS.md.
    pub path: String,
    /// The line of the row, from 1.
    pub line: u32,
    /// The number of edited paths that the row applies to; 1 if the request has none.
    pub paths: u32,
    /// The words of the request that match the task.
    pub words: Vec<String>,
    /// Whether the row is for safety.
    pub safety: bool,
}

/// The rows that match a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyMatch {
    /// The rows, one for each skill: most paths first, then most words, then the one named first in the request.
    pub rows: Vec<PolicyRow>,
    /// Whether files of several directories apply and their rows name different skills.
    pub disagreement: bool,
}

/// A matching row with its place in the order.
struct Found<'a> {
    /// The file.
    file: &'a AgentsFile,
    /// The row.
    row: &'a SkillRow,
    /// The matching words.
    matched: TaskMatch,
    /// The number of paths.
    paths: u32,
}

impl AgentsFiles {
    /// Creates the collection. Of files with one path, the first is used.
    pub fn new(mut files: Vec<AgentsFile>) -> Self {
        files.sort_by(|a, b| depth(&b.path).cmp(&depth(&a.path)).then_with(|| a.path.cmp(&b.path)));
        files.dedup_by(|later, first| later.path == first.path);
        Self { files }
    }

    /// Iterates over the files that apply to a path, nearest first. An absent path is the root of the workspace.
    pub fn applicable<'a>(&'a self, path: Option<&str>) -> impl Iterator<Item = &'a AgentsFile> {
        self.files.iter().filter(move |file| {
            let directory = directory(&file.path);
            directory.is_empty() || path.is_some_and(|path| path.trim_start_matches("./").starts_with(directory))
        })
    }

    /// Finds the rows that match a request. For each edited path the nearest file with a matching row decides; without
    /// paths, the file in the root of the workspace.
    pub fn find(&self, text: &str, paths: &[String]) -> PolicyMatch {
        if self.files.iter().all(|file| file.content.rows.is_empty()) {
            // The words of a long text are not needed without rows to compare them with.
            return PolicyMatch::default();
        }
        let request = RequestTerms::new(text);
        let mut found: Vec<Found<'_>> = Vec::new();
        for path in places(paths) {
            let rows = self.applicable(path).map(|file| (file, matching_rows(file, &request)));
            let Some((file, rows)) = rows.into_iter().find(|(_, rows)| !rows.is_empty()) else { continue };
            for (row, matched) in rows {
                match found.iter_mut().find(|other| other.file.path == file.path && std::ptr::eq(other.row, row)) {
                    Some(known) => known.paths += 1,
                    None => found.push(Found { file, row, matched, paths: 1 }),
                }
            }
        }
        found.sort_by_key(|found| {
            (Reverse(found.paths), Reverse(found.matched.words.len()), found.matched.first, found.row.line)
        });
        let disagreement = found
            .iter()
            .any(|one| found.iter().any(|other| one.file.path != other.file.path && one.row.skill != other.row.skill));
        let mut rows: Vec<PolicyRow> = Vec::new();
        for found in found {
            if !rows.iter().any(|row| row.skill == found.row.skill) {
                rows.push(found.into_policy_row());
            }
        }
        PolicyMatch { rows, disagreement }
    }

    /// Returns whether any file forbids a skill.
    pub fn has_prohibitions(&self) -> bool {
        self.files.iter().any(|file| !file.content.forbidden.is_empty())
    }

    /// Returns the prohibition of a skill for one of the edited paths, as the path of the AGENTS.md and the line; `None`
    /// if it is allowed. A nearer file that maps a task to the skill takes precedence over a prohibition.
    pub fn prohibition(&self, skill: &str, paths: &[String]) -> Option<(&str, u32)> {
        places(paths).find_map(|path| {
            let nearest = self.applicable(path).find_map(|file| {
                let forbidden = file.content.forbidden.iter().find(|forbidden| forbidden.skill == skill);
                let is_named = file.content.rows.iter().any(|row| row.skill == skill);
                forbidden.map(|forbidden| Some((file.path.as_str(), forbidden.line))).or(is_named.then_some(None))
            });
            nearest.flatten()
        })
    }

    /// Returns the technologies of the files that apply to the edited paths, without duplicates.
    pub fn stack(&self, paths: &[String]) -> Vec<String> {
        let files = places(paths).flat_map(|path| self.applicable(path));
        let mut entries: Vec<String> = files.flat_map(|file| file.content.stack.iter().cloned()).collect();
        entries.sort();
        entries.dedup();
        entries
    }
}

impl Found<'_> {
    /// Converts the match to the form in which it is recorded.
    fn into_policy_row(self) -> PolicyRow {
        PolicyRow {
            skill: self.row.skill.clone(),
            task: self.row.task.clone(),
            path: self.file.path.clone(),
            line: self.row.line,
            paths: self.paths,
            words: self.matched.words,
            safety: self.row.safety,
        }
    }
}

/// Iterates over the places that files must apply to: each path, or the root of the workspace if there is none.
fn places(paths: &[String]) -> impl Iterator<Item = Option<&str>> {
    let root = paths.is_empty().then_some(None);
    paths.iter().map(|path| Some(path.as_str())).chain(root)
}

/// Returns the rows of a file that match a request.
fn matching_rows<'a>(file: &'a AgentsFile, request: &RequestTerms) -> Vec<(&'a SkillRow, TaskMatch)> {
    let rows = file.content.rows.iter();
    rows.filter_map(|row| request.match_task(&row.task).map(|matched| (row, matched))).collect()
}

/// Returns the directory of a file with its final slash; empty for the root of the workspace.
fn directory(path: &str) -> &str {
    let path = path.trim_start_matches("./");
    path.rfind('/').and_then(|slash| path.get(..=slash)).unwrap_or_default()
}

/// Returns the number of directories that a path is below.
fn depth(path: &str) -> usize {
    directory(path).matches('/').count()
}

#[cfg(test)]
mod tests;
