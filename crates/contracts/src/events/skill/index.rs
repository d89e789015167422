//! Events about the skills of a workspace: a new index, and files that could not be used.

use serde::{Deserialize, Serialize};

use crate::{ContentHash, events::event};

/// Event: the skills of a workspace were read, or a client listed them, and they differ from those known before. The text
/// store has them under `sources` as JSON, so that decisions can be repeated after the files have changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillIndexed {
    /// Absolute path of the workspace; `None` if it is unknown.
    pub workspace: Option<String>,
    /// Hash of the JSON text with the skills, the trigger table and the AGENTS.md files.
    pub sources: ContentHash,
    /// Length of the JSON text in bytes.
    pub bytes: u64,
    /// Number of skills.
    pub skills: u32,
    /// Number of those skills that no folder has: only the client lists them.
    pub offered_only: u32,
    /// Number of rows of the trigger table; 0 if there is none.
    pub trigger_rows: u32,
    /// Number of AGENTS.md files.
    pub agents_files: u32,
    /// Number of problems that were found in the files, warnings included.
    pub findings: u32,
}

event!(
    SkillIndexed,
    "skill.indexed",
    1,
    Internal,
    "The skills of a workspace were read for the first time, or have changed.",
    SkillIndexed {
        workspace: Some("/home/dev/shop".to_owned()),
        sources: ContentHash([0x44; 32]),
        bytes: 18_230,
        skills: 14,
        offered_only: 3,
        trigger_rows: 6,
        agents_files: 1,
        findings: 2,
    }
);

/// A problem in a file that describes skills, as an event records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillFileFinding {
    /// Path of the file, relative to the workspace, or with `~` for the user's home folder.
    pub path: String,
    /// Line of the problem, from 1; `None` if it concerns the whole file.
    pub line: Option<u32>,
    /// Kind of the problem, such as `invalid-yaml`.
    pub code: String,
    /// Problem and next step in one sentence.
    pub message: String,
}

/// Event: files that describe skills cannot be used as they are. The last valid version of each remains in use where one
/// is known; the other files are skipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillIndexInvalid {
    /// Absolute path of the workspace; `None` if it is unknown.
    pub workspace: Option<String>,
    /// Errors of the files, sorted by path and line, as many as fit into the event.
    pub findings: Vec<SkillFileFinding>,
    /// Number of errors that did not fit.
    pub findings_omitted: u32,
    /// Whether an index that was recorded earlier for the workspace remains in use as a whole.
    pub using_last_index: bool,
}

event!(
    SkillIndexInvalid,
    "skill.index_invalid",
    1,
    Internal,
    "Files that describe skills could not be used.",
    SkillIndexInvalid {
        workspace: Some("/home/dev/shop".to_owned()),
        findings: vec![SkillFileFinding {
            path: ".claude/skills/review/SKILL.md".to_owned(),
            line: Some(3),
            code: "invalid-yaml".to_owned(),
            message: "the front matter is not valid YAML; close the quotation mark".to_owned(),
        }],
        findings_omitted: 0,
        using_last_index: false,
    }
);
