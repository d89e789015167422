//! The folders in which clients install skills.

use std::path::{Path, PathBuf};

use skills::{Finding, SkillScope};

use crate::plugins::client_roots;

/// A folder with skills, each in a folder of its own, or the folder of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRoot {
    /// The folder.
    pub dir: PathBuf,
    /// The recorded path of the folder: relative to the workspace, or with `~` for the user's home.
    pub shown: String,
    /// Whether the skills belong to the project or to the user.
    pub scope: SkillScope,
    /// The plugin whose name is the prefix of its skills; `None` for other skills.
    pub plugin: Option<String>,
}

/// The folders of a project, relative to the workspace, and of a user, relative to the home folder.
const FOLDERS: &[&str] = &[".agents/skills", ".claude/skills"];

/// Returns the folders of a workspace, then those of a user (if the home folder is known and another folder) that clients
/// read: `.agents/skills` and `.claude/skills`. They need not exist.
pub fn default_roots(workspace: &Path, user: Option<&Path>) -> Vec<SkillRoot> {
    let project = FOLDERS.iter().map(|folder| SkillRoot::from_setting(folder, workspace, user));
    let other_home = user.filter(|user| *user != workspace);
    let home = FOLDERS.iter().map(|folder| SkillRoot::from_setting(&format!("~/{folder}"), workspace, other_home));
    project.chain(home).flatten().collect()
}

/// Returns the folders of skills that apply in a workspace: `dirs`, as the policy lists them, or else those that clients read,
/// with the folders of installed plugins. `user` is the user's home folder. Also returns the problems of the files that list
/// the plugins.
pub fn applicable_roots(
    workspace: &Path,
    user: Option<&Path>,
    dirs: Option<&[String]>,
) -> (Vec<SkillRoot>, Vec<Finding>) {
    if let Some(dirs) = dirs {
        return (dirs.iter().filter_map(|dir| SkillRoot::from_setting(dir, workspace, user)).collect(), Vec::new());
    }
    client_roots(workspace, user)
}

impl SkillRoot {
    /// Resolves a folder of the policy: a path relative to the workspace, an absolute path, or a path that starts with
    /// `~/`. `None` if it starts with `~/` and the home folder is unknown.
    ///
    /// A folder inside the workspace belongs to the project and every other to the user.
    pub fn from_setting(setting: &str, workspace: &Path, user: Option<&Path>) -> Option<Self> {
        let dir = match setting.strip_prefix("~/") {
            Some(rest) => user?.join(rest),
            None => workspace.join(setting),
        };
        Some(Self::new(dir, workspace, user))
    }

    /// Creates the root of a folder, with its path relative to the workspace or to the home folder if it is inside one.
    pub fn new(dir: PathBuf, workspace: &Path, user: Option<&Path>) -> Self {
        let (shown, scope) = if let Ok(inside) = dir.strip_prefix(workspace) {
            (inside.display().to_string(), SkillScope::Project)
        } else if let Some(inside) = user.and_then(|user| dir.strip_prefix(user).ok()) {
            (format!("~/{}", inside.display()), SkillScope::User)
        } else {
            (dir.display().to_string(), SkillScope::User)
        };
        let shown = if shown.is_empty() { ".".to_owned() } else { shown };
        Self { dir, shown, scope, plugin: None }
    }
}
