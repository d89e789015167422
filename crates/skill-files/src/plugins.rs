//! The folders of the plugins that Claude Code has installed.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use skills::{Finding, FindingCode};

use crate::{
    roots::{SkillRoot, default_roots},
    text_file::read_text_file,
};

/// The list of installed plugins, relative to the home folder.
const INSTALLED: &str = ".claude/plugins/installed_plugins.json";
/// The settings that enable plugins, relative to the home folder and to a workspace.
const SETTINGS: &[&str] = &[".claude/settings.json", ".claude/settings.local.json"];
/// The description of a plugin, relative to its folder.
const DESCRIPTION: &str = ".claude-plugin/plugin.json";

/// Returns the folders of skills that clients read: [`default_roots`], then those of the user's plugins. Also returns the
/// problems of the files that list the plugins.
pub(crate) fn client_roots(workspace: &Path, user: Option<&Path>) -> (Vec<SkillRoot>, Vec<Finding>) {
    let mut roots = default_roots(workspace, user);
    let (plugins, findings) = user.map(|user| plugin_roots(workspace, user)).unwrap_or_default();
    roots.extend(plugins);
    (roots, findings)
}

/// Returns the folders with skills of the plugins of Claude Code that are installed for the user or for the workspace and
/// are not disabled, and the problems of the files that list them. Without such files both are empty.
pub fn plugin_roots(workspace: &Path, user: &Path) -> (Vec<SkillRoot>, Vec<Finding>) {
    let mut findings = Vec::new();
    let installed = read_json(user, INSTALLED, "~/", &mut findings);
    let Some(installed) = installed.as_ref().and_then(|list| list.get("plugins")).and_then(Value::as_object) else {
        return (Vec::new(), findings);
    };
    let mut settings: Vec<Value> = Vec::new();
    for (folder, prefix) in [(user, "~/"), (workspace, "")] {
        settings.extend(SETTINGS.iter().filter_map(|name| read_json(folder, name, prefix, &mut findings)));
    }
    let mut roots = Vec::new();
    for (key, entry) in installed {
        if is_disabled(key, &settings) {
            continue;
        }
        let name = key.split('@').next().unwrap_or_default();
        // A list since version 2 of the file, one installation before.
        let installations = entry.as_array().map_or(std::slice::from_ref(entry), Vec::as_slice);
        for installation in installations.iter().filter(|installation| applies_to(installation, workspace)) {
            let Some(path) = installation.get("installPath").and_then(Value::as_str) else { continue };
            let dir = Path::new(path);
            for folder in skill_folders(dir, &mut findings) {
                let root = SkillRoot::new(dir.join(folder), workspace, Some(user));
                roots.push(SkillRoot { plugin: Some(name.to_owned()), ..root });
            }
        }
    }
    (roots, findings)
}

/// Returns whether the last of the settings that mention a plugin disables it.
fn is_disabled(key: &str, settings: &[Value]) -> bool {
    let enabled = settings.iter().rev().find_map(|settings| settings.get("enabledPlugins")?.get(key)?.as_bool());
    enabled == Some(false)
}

/// Returns whether an installation applies to a workspace: those of a project apply to its folder.
fn applies_to(installation: &Value, workspace: &Path) -> bool {
    let project = installation.get("projectPath").and_then(Value::as_str);
    project.is_none_or(|project| workspace.starts_with(project))
}

/// Returns the folders with skills of a plugin, relative to its folder: `skills`, and those in its description. Paths
/// that leave the folder are skipped.
fn skill_folders(dir: &Path, findings: &mut Vec<Finding>) -> Vec<PathBuf> {
    let prefix = format!("{}/", dir.display());
    let description = read_json(dir, DESCRIPTION, &prefix, findings).unwrap_or_default();
    let listed = match description.get("skills") {
        Some(Value::String(folder)) => vec![folder.as_str()],
        Some(Value::Array(folders)) => folders.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is_inside = |folder: &Path| {
        folder.components().all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
    };
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::iter::once("skills").chain(listed) {
        // The components leave out `.`, so that `./skills/` and `skills` are one folder.
        let folder: PathBuf = Path::new(folder).components().filter(|part| *part != Component::CurDir).collect();
        if is_inside(&folder) && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Reads a JSON file of a folder; `prefix` is the folder in findings. `None` if the file is missing, or invalid, which is
/// reported.
fn read_json(folder: &Path, name: &str, prefix: &str, findings: &mut Vec<Finding>) -> Option<Value> {
    let path = folder.join(name);
    if !path.exists() {
        return None;
    }
    let shown = format!("{prefix}{name}");
    let parsed = read_text_file(&path, &shown).and_then(|text| {
        serde_json::from_str(&text).map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            Finding::at_line(&shown, line, FindingCode::Unreadable, format!("the file is not valid JSON: {error}"))
        })
    });
    parsed.map_err(|finding| findings.push(finding)).ok()
}
