//! Folders: where skills are found, and folders that are damaged or endless.

use std::{
    fs::{self, File},
    os::unix::fs::symlink,
};

use skills::{FindingCode, SkillScope};

use crate::support::{Folders, findings, manifest, names};

#[test]
fn skills_of_workspace_and_user_are_found_and_shadowing_is_reported() {
    let folders = Folders::new();
    folders.write(".claude/skills/deploy/SKILL.md", manifest("deploy", "of the project"));
    folders.write(".agents/skills/group/review/SKILL.md", manifest("review", "Reviews."));
    folders.write_home(".claude/skills/deploy/SKILL.md", manifest("deploy", "of the user"));
    folders.write_home(".agents/skills/notes/SKILL.md", manifest("notes", "Takes notes."));
    let set = folders.read();
    assert_eq!(names(&set), ["deploy", "notes", "review"]);
    let deploy = set.index.get("deploy").unwrap();
    assert_eq!((deploy.scope, deploy.path.as_str()), (SkillScope::Project, ".claude/skills/deploy/SKILL.md"));
    assert_eq!(set.index.get("notes").unwrap().path, "~/.agents/skills/notes/SKILL.md");
    assert_eq!(findings(&set), [("~/.claude/skills/deploy/SKILL.md", FindingCode::ShadowedName)]);
    assert_eq!(set.shadowed.len(), 1);
}

#[test]
fn two_skills_of_one_name_in_one_scope_are_reported_and_the_smaller_path_is_used() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("deploy", "first"));
    folders.write(".claude/skills/b/SKILL.md", manifest("deploy", "second"));
    let set = folders.read();
    assert_eq!(set.index.get("deploy").unwrap().description, "first");
    assert!(findings(&set).contains(&(".claude/skills/b/SKILL.md", FindingCode::DuplicateName)));
}

#[test]
fn a_folder_that_contains_itself_is_visited_once_and_reported() {
    let folders = Folders::new();
    folders.write(".claude/skills/deploy/SKILL.md", manifest("deploy", "Deploys."));
    let root = folders.workspace.join(".claude/skills");
    fs::create_dir(root.join("nested")).unwrap();
    symlink(&root, root.join("nested/again")).unwrap();
    symlink("self", root.join("self")).unwrap();
    let set = folders.read();
    assert_eq!(names(&set), ["deploy"]);
    let expected = [
        (".claude/skills/nested/again", FindingCode::FolderLoop),
        (".claude/skills/self/SKILL.md", FindingCode::FolderLoop),
    ];
    assert_eq!(findings(&set), expected);
}

#[test]
fn a_skill_that_is_linked_into_a_second_folder_is_read_once() {
    let folders = Folders::new();
    folders.write(".agents/skills/deploy/SKILL.md", manifest("deploy", "Deploys."));
    fs::create_dir(folders.workspace.join(".claude")).unwrap();
    symlink("../.agents/skills", folders.workspace.join(".claude/skills")).unwrap();
    let set = folders.read();
    assert_eq!((names(&set), findings(&set)), (vec!["deploy"], vec![]));
}

#[test]
fn folders_below_the_limit_are_skipped_and_reported_once() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/b/c/d/deep/SKILL.md", manifest("deep", "Is read."));
    folders.write(".claude/skills/a/b/c/d/e/deeper/SKILL.md", manifest("deeper", "Is not read."));
    folders.write(".claude/skills/a/b/c/d/f/deeper/SKILL.md", manifest("deeper", "Is not read."));
    let set = folders.read();
    assert_eq!(names(&set), ["deep"]);
    assert_eq!(findings(&set), [(".claude/skills/a/b/c/d/e", FindingCode::FolderTooDeep)]);
}

#[test]
fn a_file_of_100_megabytes_is_reported_without_reading_it() {
    let folders = Folders::new();
    let path = folders.write(".claude/skills/huge/SKILL.md", manifest("huge", "Is huge."));
    File::options().write(true).open(path).unwrap().set_len(100 * 1024 * 1024).unwrap();
    let set = folders.read();
    assert_eq!(findings(&set), [(".claude/skills/huge/SKILL.md", FindingCode::FileTooLarge)]);
    assert!(set.findings[0].message.starts_with("the file has 104857600 bytes"), "{}", set.findings[0].message);
}

#[test]
fn a_pipe_in_place_of_a_file_is_reported_and_not_opened() {
    let folders = Folders::new();
    let dir = folders.workspace.join(".claude/skills/pipe");
    fs::create_dir_all(&dir).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, dir.join("SKILL.md"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let set = folders.read();
    assert_eq!(findings(&set), [(".claude/skills/pipe/SKILL.md", FindingCode::NotAFile)]);
}

#[test]
fn hidden_folders_and_dependencies_are_skipped() {
    let folders = Folders::new();
    folders.write(".claude/skills/.git/x/SKILL.md", manifest("x", "X."));
    folders.write(".claude/skills/node_modules/y/SKILL.md", manifest("y", "Y."));
    folders.write(".claude/skills/z/skill.md", manifest("z", "Z."));
    let set = folders.read();
    assert_eq!((names(&set), findings(&set)), (vec!["z"], vec![]));
}
