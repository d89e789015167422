//! Rows of a decision tree: their settings, and the conditions that they are parsed to.

use std::collections::BTreeSet;

use contracts::Criticality;

use serde::{Deserialize, Deserializer, Serialize};

/// One row of the tree as it is written in the policy, `skills.tree`. A column that is absent matches every value, as
/// `any` does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeRowSettings {
    /// Types of the task.
    #[serde(deserialize_with = "one_or_many")]
    pub task: Vec<String>,
    /// Criticalities, `C1` to `C4`.
    #[serde(deserialize_with = "one_or_many")]
    pub criticality: Vec<String>,
    /// Names of the skill loaded before, or `none`.
    #[serde(deserialize_with = "one_or_many")]
    pub prior: Vec<String>,
    /// Extensions with their dot, `mixed` for files of several types, `none` for no files.
    #[serde(deserialize_with = "one_or_many")]
    pub files: Vec<String>,
    /// Names of the skills to load in order, or `escalate` for the next layer.
    #[serde(deserialize_with = "one_or_many")]
    pub route: Vec<String>,
    /// The agent of the skill that the row suggests.
    pub agent: Option<String>,
}

/// Deserialises one text or a list of texts.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Texts::deserialize(deserializer)? {
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    })
}

/// Error of a row of the tree: a column has an unknown value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the tree, column `{column}`: `{value}` is unknown; expected {expected}")]
pub struct TreeError {
    /// The number of the row, from 1.
    pub row: usize,
    /// The name of the column.
    pub column: &'static str,
    /// The unknown value; empty if a value is missing.
    pub value: String,
    /// The values of the column.
    pub expected: String,
}

/// The value that matches everything.
const ANY: &str = "any";
/// The value for no prior skill and for no files.
const NONE: &str = "none";
/// The value for files of several types.
const MIXED: &str = "mixed";
/// The route to the next layer.
const ESCALATE: &str = "escalate";

/// The condition of a column: `None` matches every value.
pub(super) type Condition<T> = Option<BTreeSet<T>>;

/// A parsed row.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The types of the task.
    pub(super) task: Condition<String>,
    /// The criticalities.
    pub(super) criticality: Condition<Criticality>,
    /// The skills loaded before; `None` in the set for no such skill.
    pub(super) prior: Condition<Option<String>>,
    /// The condition on the files; `None` matches all.
    pub(super) files: Option<FileCondition>,
    /// The skills to load; empty for the next layer.
    pub(super) skills: Vec<String>,
    /// The suggested agent.
    pub(super) agent: Option<String>,
}

/// A condition on the types of the files of a task.
#[derive(Debug, Clone, Default)]
pub(super) struct FileCondition {
    /// The extensions that all files must have one of, lower case with dot.
    extensions: BTreeSet<String>,
    /// Whether files of several types match.
    mixed: bool,
    /// Whether a task without files matches.
    none: bool,
}

impl FileCondition {
    /// Returns whether the condition matches files with these extensions.
    pub(super) fn matches(&self, extensions: &BTreeSet<String>) -> bool {
        match extensions.len() {
            0 => self.none,
            count => (count > 1 && self.mixed) || extensions.is_subset(&self.extensions),
        }
    }
}

impl Row {
    /// Parses a row. `number` is its number from 1, `tasks` are the known types of tasks.
    pub(super) fn new(settings: &TreeRowSettings, number: usize, tasks: &[String]) -> Result<Self, TreeError> {
        let error = |column, value: &str, expected: &str| TreeError {
            row: number,
            column,
            value: value.to_owned(),
            expected: expected.to_owned(),
        };
        let task = condition(&settings.task, |value| {
            let is_known = tasks.iter().any(|task| task == value);
            is_known
                .then(|| value.to_owned())
                .ok_or_else(|| error("task", value, &format!("any, {}", tasks.join(", "))))
        })?;
        let criticality = condition(&settings.criticality, |value| {
            Criticality::named(value).ok_or_else(|| error("criticality", value, "any, C1, C2, C3, C4"))
        })?;
        let prior = condition(&settings.prior, |value| match value {
            NONE => Ok(None),
            _ => skill_name(value).map(Some).ok_or_else(|| error("prior", value, "any, none, the name of a skill")),
        })?;
        let mut files = FileCondition::default();
        for value in &settings.files {
            match value.as_str() {
                ANY => {}
                NONE => files.none = true,
                MIXED => files.mixed = true,
                extension if is_extension(extension) => {
                    files.extensions.insert(extension.to_ascii_lowercase());
                }
                other => return Err(error("files", other, "any, none, mixed, an extension such as `.py`")),
            }
        }
        let is_any = settings.files.is_empty() || settings.files.iter().any(|value| value == ANY);
        let escalates = settings.route == [ESCALATE];
        let routes = if escalates { &[][..] } else { &settings.route };
        let expected = "the names of skills, escalate";
        if settings.route.is_empty() {
            return Err(error("route", "", expected));
        }
        let skills = routes.iter().map(|route| skill_name(route).ok_or_else(|| error("route", route, expected)));
        Ok(Self {
            task,
            criticality,
            prior,
            files: (!is_any).then_some(files),
            skills: skills.collect::<Result<_, _>>()?,
            agent: settings.agent.clone(),
        })
    }
}

/// Parses the values of a column; `None` if the column is absent or contains `any`.
fn condition<T: Ord>(
    values: &[String],
    parse: impl Fn(&str) -> Result<T, TreeError>,
) -> Result<Condition<T>, TreeError> {
    if values.is_empty() || values.iter().any(|value| value == ANY) {
        return Ok(None);
    }
    values.iter().map(|value| parse(value)).collect::<Result<_, _>>().map(Some)
}

/// Returns the name of a skill without its slash; `None` if it is empty, has spaces or is a reserved value.
fn skill_name(text: &str) -> Option<String> {
    let name = text.strip_prefix('/').unwrap_or(text);
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace) && ![ANY, NONE, ESCALATE].contains(&name);
    is_name.then(|| name.to_owned())
}

/// Returns whether a text is an extension with its dot.
fn is_extension(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}
