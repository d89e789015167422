//! Reads folders of skills with labelled cases.

use std::{
    fs,
    path::{Path, PathBuf},
};

use skills::{ManifestPlace, RoutingCase, SkillIndex, SkillScope, parse_cases, parse_manifest};

use crate::failure::Failure;

/// A folder with `skills/*/SKILL.md` and `cases.jsonl`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SkillFolder {
    /// The name of the folder.
    pub(super) name: String,
    /// The skills.
    pub(super) index: SkillIndex,
    /// The labelled cases.
    pub(super) cases: Vec<RoutingCase>,
}

/// Reads every folder in `root` that has a file `cases.jsonl`, in the order of their names.
///
/// # Errors
/// [`Failure::Read`] or [`Failure::Cases`] if a file cannot be read or parsed.
pub(super) fn read_folders(root: &Path) -> Result<Vec<SkillFolder>, Failure> {
    let folders = subfolders(root)?;
    let with_cases = folders.iter().filter(|folder| folder.join("cases.jsonl").exists());
    with_cases.map(|folder| read_folder(folder)).collect()
}

/// Reads one folder.
fn read_folder(folder: &Path) -> Result<SkillFolder, Failure> {
    let path = folder.join("cases.jsonl");
    let text = fs::read_to_string(&path).map_err(|cause| Failure::Read { path: path.clone(), cause })?;
    let cases = parse_cases(&text, &path.display().to_string(), None)
        .map_err(|finding| Failure::Cases { finding: finding.to_string() })?;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    Ok(SkillFolder { name, index: read_skills(&folder.join("skills"))?, cases })
}

/// Reads the skills in the folders of `root`. Files that are not skills are left out.
fn read_skills(root: &Path) -> Result<SkillIndex, Failure> {
    let mut skills = Vec::new();
    for folder in subfolders(root)? {
        let path = folder.join("SKILL.md");
        if !path.exists() {
            continue;
        }
        let bytes = fs::read(&path).map_err(|cause| Failure::Read { path: path.clone(), cause })?;
        let folder = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let place = ManifestPlace { path: &path.to_string_lossy(), folder, scope: SkillScope::Project, plugin: None };
        skills.extend(parse_manifest(&bytes, &place).skill);
    }
    Ok(SkillIndex::new(skills))
}

/// Returns the folders in a folder, sorted.
fn subfolders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |cause| Failure::Read { path: root.to_path_buf(), cause };
    let mut folders = Vec::new();
    for entry in fs::read_dir(root).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}
