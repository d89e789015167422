//! Whether Claude Code can load a skill.

use std::{path::Path, time::SystemTime};

use skill_files::{SkillReader, SkillRoot};

/// Returns whether the model of Claude Code can load a skill in a project: it is in `.claude/skills` of the project or of the
/// user (`user` is the user's home folder), and not reserved to the user. The skills of plugins, which have a prefix, are
/// found only where Claude Code has them.
pub(super) fn can_load(workspace: &Path, user: Option<&Path>, name: &str) -> bool {
    if name.contains(':') {
        return true;
    }
    let folders = [format!(".claude/skills/{name}"), format!("~/.claude/skills/{name}")];
    let roots: Vec<_> = folders.iter().filter_map(|folder| SkillRoot::from_setting(folder, workspace, user)).collect();
    let set = SkillReader::new().read(&roots, SystemTime::now());
    set.index.get(name).is_some_and(|skill| !skill.explicit_only)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_skills_in_the_folders_of_claude_code_that_the_model_may_use_can_be_loaded() {
        let (workspace, user) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |folder: &Path, name: &str, more: &str| {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: d\n{more}---\n")).unwrap();
        };
        write(&workspace.path().join(".claude/skills/deploy"), "deploy", "");
        write(&user.path().join(".claude/skills/notes"), "notes", "");
        write(&workspace.path().join(".agents/skills/review"), "review", "");
        write(&workspace.path().join(".claude/skills/secret"), "secret", "disable-model-invocation: true\n");
        let loads = |name| can_load(workspace.path(), Some(user.path()), name);
        assert!(loads("deploy") && loads("notes") && loads("plugin:any"));
        assert!(!loads("review") && !loads("secret") && !loads("missing") && !loads(".."));
        assert!(!can_load(workspace.path(), None, "notes"));
    }
}
