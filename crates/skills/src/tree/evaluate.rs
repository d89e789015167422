//! [`DecisionTree`], the rows of the TREE layer, and their evaluation.

use std::collections::BTreeSet;

use contracts::Criticality;
use serde::{Deserialize, Serialize};

use super::{
    row::{Row, TreeError, TreeRowSettings},
    task_types::TaskTypes,
};
use crate::index::SkillIndex;

/// The rows of the TREE layer in the order of their evaluation.
#[derive(Debug, Clone, Default)]
pub struct DecisionTree {
    /// The rows.
    rows: Vec<Row>,
}

/// The signals of one request.
#[derive(Debug, Clone, Copy, Default)]
pub struct TreeInput<'a> {
    /// The type of the task ([`TaskTypes::classify`]); `None` if it is unknown, which only a row for any type matches.
    pub task: Option<&'a str>,
    /// The criticality of the task.
    pub criticality: Criticality,
    /// The name of the skill loaded before in the session, without slash; `None` if there is none.
    pub prior: Option<&'a str>,
    /// Paths of the files of the task. Those without extension are ignored.
    pub paths: &'a [String],
    /// The skills that the keyword layer left as candidates, without slash.
    pub keyword_candidates: &'a [String],
}

/// The result of the TREE layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeOutcome {
    /// A row routes to skills.
    Route {
        /// The number of the row, from 1.
        row: u32,
        /// The skills in order, at least one.
        skills: Vec<String>,
        /// The agent that the row suggests.
        agent: Option<String>,
    },
    /// File types and keywords name different skills; the next layer decides.
    Conflict {
        /// The skills that the rows for these file types route to.
        by_files: Vec<String>,
        /// The skills that the keywords name.
        by_keywords: Vec<String>,
    },
    /// The default row: no other row matches, and the next layer decides.
    Unresolved {
        /// The number of the row, from 1; `None` for the implicit default row.
        row: Option<u32>,
    },
}

/// A note on a tree that is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeNote {
    /// The last row does not match everything, so that a default row is implied.
    ImplicitDefault,
    /// A row is never evaluated, because an earlier one matches everything.
    Unreachable {
        /// The number of the row, from 1.
        row: u32,
    },
    /// A row routes to a skill that is not installed.
    UnknownSkill {
        /// The number of the row, from 1.
        row: u32,
        /// The name of the skill.
        skill: String,
    },
}

impl DecisionTree {
    /// Parses the rows of a tree.
    ///
    /// # Errors
    /// [`TreeError`] for the first unknown value, with its row and column.
    pub fn new(rows: &[TreeRowSettings], tasks: &TaskTypes) -> Result<Self, TreeError> {
        let rows = (1..).zip(rows).map(|(number, row)| Row::new(row, number, tasks.names()));
        Ok(Self { rows: rows.collect::<Result<_, _>>()? })
    }

    /// Evaluates the rows from top to bottom; the first that matches decides.
    ///
    /// A conflict of file types and keywords takes precedence over a row that depends on the files, and over the default.
    pub fn evaluate(&self, input: &TreeInput<'_>) -> TreeOutcome {
        let extensions = extensions(input.paths);
        let matching = (1..).zip(&self.rows).find(|(_, row)| row.matches(input, &extensions));
        let by_files = match matching {
            Some((_, row)) if row.skills.is_empty() => self.skills_of_files(&extensions),
            Some((_, row)) if row.files.is_some() && !extensions.is_empty() => row.skills.clone(),
            Some(_) => Vec::new(),
            None => self.skills_of_files(&extensions),
        };
        let by_keywords = input.keyword_candidates;
        let agree = by_files.iter().any(|skill| by_keywords.contains(skill));
        if !by_files.is_empty() && !by_keywords.is_empty() && !agree {
            return TreeOutcome::Conflict { by_files, by_keywords: by_keywords.to_vec() };
        }
        match matching {
            Some((row, found)) if !found.skills.is_empty() => {
                TreeOutcome::Route { row, skills: found.skills.clone(), agent: found.agent.clone() }
            }
            other => TreeOutcome::Unresolved { row: other.map(|(row, _)| row) },
        }
    }

    /// Returns the skills of all rows whose condition on files matches files with these extensions; none without files.
    fn skills_of_files(&self, extensions: &BTreeSet<String>) -> Vec<String> {
        let names_files = |row: &&Row| row.files.as_ref().is_some_and(|files| files.matches(extensions));
        let rows = self.rows.iter().filter(|_| !extensions.is_empty()).filter(names_files);
        let skills: BTreeSet<&String> = rows.flat_map(|row| &row.skills).collect();
        skills.into_iter().cloned().collect()
    }

    /// Returns the notes on the tree: the implicit default row, unreachable rows, and skills that are not in `index`.
    pub fn notes(&self, index: &SkillIndex) -> Vec<TreeNote> {
        let mut notes = Vec::new();
        let mut ended = false;
        for (number, row) in (1..).zip(&self.rows) {
            if ended {
                notes.push(TreeNote::Unreachable { row: number });
            }
            ended |= row.matches_everything();
            let unknown = row.skills.iter().filter(|skill| index.get(skill).is_none());
            notes.extend(unknown.map(|skill| TreeNote::UnknownSkill { row: number, skill: skill.clone() }));
        }
        if !ended && !self.rows.is_empty() {
            notes.push(TreeNote::ImplicitDefault);
        }
        notes
    }
}

impl Row {
    /// Returns whether the row matches the signals of a request. `extensions` are those of its files.
    fn matches(&self, input: &TreeInput<'_>, extensions: &BTreeSet<String>) -> bool {
        let prior = input.prior.map(str::to_owned);
        self.task.as_ref().is_none_or(|tasks| input.task.is_some_and(|task| tasks.contains(task)))
            && self.criticality.as_ref().is_none_or(|levels| levels.contains(&input.criticality))
            && self.prior.as_ref().is_none_or(|skills| skills.contains(&prior))
            && self.files.as_ref().is_none_or(|files| files.matches(extensions))
    }

    /// Returns whether the row matches every request.
    fn matches_everything(&self) -> bool {
        self.task.is_none() && self.criticality.is_none() && self.prior.is_none() && self.files.is_none()
    }
}

/// Returns the distinct extensions of paths, lower case with dot.
fn extensions(paths: &[String]) -> BTreeSet<String> {
    let names = paths.iter().filter_map(|path| path.rsplit('/').next());
    let extensions = names.filter_map(|name| name.rsplit_once('.').map(|(_, extension)| extension));
    extensions.filter(|extension| !extension.is_empty()).map(|text| format!(".{}", text.to_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests;
