//! Sets of skills with labelled requests, read from JSON Lines.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use skills::{Skill, SkillIndex};

use crate::failure::Failure;

/// A request and the skill that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkillRequest {
    /// The text.
    pub(super) text: String,
    /// The name of the skill; `None` if the request needs none.
    pub(super) skill: Option<String>,
}

/// A set of skills with labelled requests.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SkillSet {
    /// The name of the file without its ending.
    pub(super) name: String,
    /// The skills.
    pub(super) index: SkillIndex,
    /// The requests for training, in the order of the file.
    pub(super) train: Vec<SkillRequest>,
    /// The requests for testing, in the order of the file.
    pub(super) test: Vec<SkillRequest>,
}

/// A line of a file.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    /// A skill.
    Skill {
        /// The name.
        name: String,
        /// The description.
        description: String,
    },
    /// A request.
    Request {
        /// The text.
        text: String,
        /// The name of the skill that the request needs, if any.
        label: Option<String>,
        /// `train`, `test`, or another part of the set, which is not used.
        split: String,
    },
}

/// Reads all `*.jsonl` files of a folder, ordered by name.
///
/// # Errors
/// [`Failure::Read`] or [`Failure::SkillLine`] if a file cannot be read or parsed, [`Failure::NoSkillSets`] if there is
/// none.
pub(super) fn read_sets(folder: &Path) -> Result<Vec<SkillSet>, Failure> {
    let fail = |cause| Failure::Read { path: folder.to_path_buf(), cause };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(Failure::NoSkillSets { folder: folder.to_path_buf() });
    }
    paths.sort();
    paths.iter().map(|path| read_set(path)).collect()
}

/// Reads one file. Blank lines are skipped.
fn read_set(path: &Path) -> Result<SkillSet, Failure> {
    let text = fs::read_to_string(path).map_err(|cause| Failure::Read { path: path.to_path_buf(), cause })?;
    let (mut skills, mut train, mut test) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |cause: String| Failure::SkillLine { path: path.to_path_buf(), line: number, cause };
        match serde_json::from_str(line).map_err(|error| fail(error.to_string()))? {
            Line::Skill { name, description } => skills.push(Skill { name, description, ..Skill::default() }),
            Line::Request { text, label, split } => {
                if let Some(name) = label.as_ref().filter(|name| !skills.iter().any(|skill| skill.name == **name)) {
                    return Err(fail(format!("there is no skill `{name}`")));
                }
                let request = SkillRequest { text, skill: label };
                match split.as_str() {
                    "train" => train.push(request),
                    "test" => test.push(request),
                    _ => {}
                }
            }
        }
    }
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    Ok(SkillSet { name, index: SkillIndex::new(skills), train, test })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes `lines` to a file of a new folder and reads it.
    fn read(name: &str, lines: &str) -> Result<Vec<SkillSet>, Failure> {
        let folder = std::env::temp_dir().join(format!("turnwise-skill-sets-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("set.jsonl"), lines).unwrap();
        let sets = read_sets(&folder);
        fs::remove_dir_all(&folder).unwrap();
        sets
    }

    const SKILL: &str = r#"{"type":"skill","name":"a","description":"b"}"#;

    #[test]
    fn requests_are_split_and_other_parts_are_left_out() {
        let request = |split: &str, label: &str| {
            format!(r#"{{"type":"request","id":"1","text":"t","label":{label},"not":[],"split":"{split}"}}"#)
        };
        let (train, test, other) = (request("train", "\"a\""), request("test", "null"), request("val", "\"a\""));
        let sets = read("split", &[SKILL, &train, "", &test, &other].join("\n")).unwrap();
        assert_eq!((sets[0].name.as_str(), sets[0].train.len(), sets[0].test.len()), ("set", 1, 1));
        assert_eq!((sets[0].train[0].skill.as_deref(), sets[0].test[0].skill.as_deref()), (Some("a"), None));
    }

    #[test]
    fn a_request_for_an_unknown_skill_is_an_error_with_its_line() {
        let request = r#"{"type":"request","text":"t","label":"absent","split":"train"}"#;
        let error = read("unknown", &[SKILL, request].join("\n")).unwrap_err().to_string();
        assert!(error.starts_with("line 2 of") && error.ends_with("there is no skill `absent`"), "{error}");
    }
}
