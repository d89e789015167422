//! Plugins of Claude Code.

use serde_json::json;
use skill_files::{SkillReader, plugin_roots};

use crate::support::{Folders, later, manifest, names};

/// Installs a plugin with one skill in the cache of the home folder, and returns its entry in the list.
fn install(folders: &Folders, plugin: &str) -> serde_json::Value {
    let path = format!(".claude/plugins/cache/market/{plugin}/1.0.0");
    folders.write_home(&format!("{path}/skills/{plugin}-skill/SKILL.md"), manifest(&format!("{plugin}-skill"), "S."));
    json!({ "scope": "user", "installPath": folders.home.join(path) })
}

/// Writes the list of installed plugins.
fn write_list(folders: &Folders, plugins: &serde_json::Value) {
    let list = json!({ "version": 2, "plugins": plugins });
    folders.write_home(".claude/plugins/installed_plugins.json", list.to_string());
}

/// Returns the names of the skills of plugins.
fn plugin_skills(folders: &Folders) -> Vec<String> {
    let (roots, findings) = plugin_roots(&folders.workspace, &folders.home);
    assert_eq!(findings, []);
    let set = SkillReader::new().read(&roots, later());
    names(&set).into_iter().map(str::to_owned).collect()
}

#[test]
fn skills_of_enabled_plugins_have_the_name_of_the_plugin() {
    let folders = Folders::new();
    let (first, second) = (install(&folders, "ops"), install(&folders, "off"));
    write_list(&folders, &json!({ "ops@market": [first], "off@market": second }));
    assert_eq!(plugin_skills(&folders), ["off:off-skill", "ops:ops-skill"]);
    folders.write_home(".claude/settings.json", json!({ "enabledPlugins": { "off@market": false } }).to_string());
    assert_eq!(plugin_skills(&folders), ["ops:ops-skill"]);
    folders.write(".claude/settings.json", json!({ "enabledPlugins": { "off@market": true } }).to_string());
    assert_eq!(plugin_skills(&folders), ["off:off-skill", "ops:ops-skill"]);
}

#[test]
fn a_plugin_of_another_project_is_skipped() {
    let folders = Folders::new();
    let mut here = install(&folders, "here");
    let mut there = install(&folders, "there");
    here["projectPath"] = json!(folders.workspace);
    there["projectPath"] = json!(folders.home.join("elsewhere"));
    write_list(&folders, &json!({ "here@market": [here], "there@market": [there] }));
    assert_eq!(plugin_skills(&folders), ["here:here-skill"]);
}

#[test]
fn folders_that_a_plugin_lists_are_read_if_they_are_inside_it() {
    let folders = Folders::new();
    let entry = install(&folders, "ops");
    let plugin = ".claude/plugins/cache/market/ops/1.0.0";
    folders.write_home(&format!("{plugin}/more/extra/SKILL.md"), manifest("extra", "E."));
    folders.write_home(".claude/plugins/cache/market/outside/SKILL.md", manifest("outside", "O."));
    let description = json!({ "name": "ops", "skills": ["./skills/", "./more/extra", "../../outside", "/etc"] });
    folders.write_home(&format!("{plugin}/.claude-plugin/plugin.json"), description.to_string());
    write_list(&folders, &json!({ "ops@market": [entry] }));
    assert_eq!(plugin_skills(&folders), ["ops:extra", "ops:ops-skill"]);
}

#[test]
fn a_list_that_is_no_json_is_reported_with_its_line() {
    let folders = Folders::new();
    folders.write_home(".claude/plugins/installed_plugins.json", "{\n\"plugins\": [}");
    let (roots, findings) = plugin_roots(&folders.workspace, &folders.home);
    assert_eq!(roots, []);
    assert_eq!((findings[0].path.as_str(), findings[0].line), ("~/.claude/plugins/installed_plugins.json", Some(2)));
}

#[test]
fn a_home_without_plugins_has_none() {
    let folders = Folders::new();
    assert_eq!(plugin_roots(&folders.workspace, &folders.home), (vec![], vec![]));
}
