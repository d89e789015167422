//! A home and a workspace in a temporary folder.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use skill_files::{SkillReader, SkillRoot, SkillSet, default_roots};
use skills::FindingCode;
use tempfile::TempDir;

/// A home folder with a workspace, `project`, in it.
pub(crate) struct Folders {
    _dir: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) workspace: PathBuf,
}

impl Folders {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let workspace = home.join("project");
        fs::create_dir_all(&workspace).unwrap();
        Self { _dir: dir, home, workspace }
    }

    /// Writes a file of the workspace and the folders around it.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.workspace.join(path), text)
    }

    /// Writes a file of the home folder and the folders around it.
    pub(crate) fn write_home(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        write(&self.home.join(path), text)
    }

    /// Returns the folders of workspace and user that clients read.
    pub(crate) fn roots(&self) -> Vec<SkillRoot> {
        default_roots(&self.workspace, Some(&self.home))
    }

    /// Reads all skills with a new reader.
    pub(crate) fn read(&self) -> Arc<SkillSet> {
        SkillReader::new().read(&self.roots(), later())
    }
}

/// Writes a file and the folders around it.
fn write(path: &Path, text: impl AsRef<[u8]>) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_owned()
}

/// Returns the text of a `SKILL.md`.
pub(crate) fn manifest(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n")
}

/// Returns a time at which all files written before are settled.
pub(crate) fn later() -> SystemTime {
    SystemTime::now() + Duration::from_mins(1)
}

/// Returns the names in an index.
pub(crate) fn names(set: &SkillSet) -> Vec<&str> {
    set.index.skills().iter().map(|skill| skill.name.as_str()).collect()
}

/// Returns path and code of each finding.
pub(crate) fn findings(set: &SkillSet) -> Vec<(&str, FindingCode)> {
    set.findings.iter().map(|finding| (finding.path.as_str(), finding.code)).collect()
}
