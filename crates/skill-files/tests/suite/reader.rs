//! A second reading: unchanged, changed, invalid and deleted files, in the same process and in another.

use std::{
    fs,
    sync::Arc,
    time::{Duration, SystemTime},
};

use skill_files::{CacheError, SkillReader};
use skills::{Exclusion, FindingCode};

use crate::support::{Folders, findings, later, manifest, names};

#[test]
fn unchanged_files_are_not_opened_again() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    folders.write(".claude/skills/b/SKILL.md", manifest("b", "B."));
    let mut reader = SkillReader::new();
    let first = reader.read(&folders.roots(), later());
    assert_eq!(reader.opened(), 2);
    let second = reader.read(&folders.roots(), later());
    assert_eq!(reader.opened(), 0);
    assert!(Arc::ptr_eq(&first, &second));
    folders.write(".claude/skills/b/SKILL.md", manifest("b", "Changed."));
    let third = reader.read(&folders.roots(), later());
    assert_eq!((reader.opened(), third.index.get("b").unwrap().description.as_str()), (1, "Changed."));
    fs::remove_dir_all(folders.workspace.join(".claude/skills/a")).unwrap();
    assert_eq!(names(&reader.read(&folders.roots(), later())), ["b"]);
    assert_eq!(reader.opened(), 0);
}

/// SC-27: a skill is stale if its file has not changed for more days than the policy allows.
#[test]
fn a_file_without_changes_is_stale_after_the_given_days() {
    let folders = Folders::new();
    let path = folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    let set = folders.read();
    let stale = |days, now| set.stale_skills(days, now).into_iter().collect::<Vec<_>>();
    let after = |days: u32| modified + days * Duration::from_hours(24) + Duration::from_secs(1);
    assert_eq!(stale(30, after(30)), []);
    assert_eq!(stale(30, after(31)), [("a".to_owned(), Exclusion::Stale { days: 31 })]);
    assert_eq!(stale(0, SystemTime::UNIX_EPOCH), []);
}

#[test]
fn a_file_that_may_still_be_written_is_opened_again() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    let mut reader = SkillReader::new();
    reader.read(&folders.roots(), SystemTime::UNIX_EPOCH);
    reader.read(&folders.roots(), later());
    assert_eq!(reader.opened(), 1);
    reader.read(&folders.roots(), later());
    assert_eq!(reader.opened(), 0);
}

#[test]
fn a_file_that_becomes_invalid_remains_in_use_with_its_last_valid_content() {
    let folders = Folders::new();
    let path = folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    let mut reader = SkillReader::new();
    let valid = reader.read(&folders.roots(), later());
    fs::write(&path, "---\nname: a\n").unwrap();
    for _ in 0..2 {
        let set = reader.read(&folders.roots(), later());
        assert_eq!(set.index, valid.index);
        let file = ".claude/skills/a/SKILL.md";
        assert_eq!(findings(&set), [(file, FindingCode::LastValidVersion), (file, FindingCode::UnclosedFrontMatter)]);
    }
    fs::write(&path, manifest("a", "Repaired.")).unwrap();
    let set = reader.read(&folders.roots(), later());
    assert_eq!((findings(&set), set.index.get("a").unwrap().description.as_str()), (vec![], "Repaired."));
}

#[test]
fn another_process_continues_with_the_remembered_files() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    folders.write(".claude/skills/broken/SKILL.md", "---\n");
    let mut reader = SkillReader::new();
    let first = reader.read(&folders.roots(), later());
    let mut other = SkillReader::decode(&reader.encode().unwrap()).unwrap();
    assert_eq!(other.read(&folders.roots(), later()), first);
    assert_eq!(other.opened(), 0);
}

#[test]
fn files_read_for_another_workspace_are_read_again() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    let mut reader = SkillReader::new();
    reader.read(&folders.roots(), later());
    let roots = skill_files::default_roots(&folders.home, None);
    let elsewhere: Vec<_> =
        folders.roots().into_iter().map(|root| skill_files::SkillRoot::new(root.dir, &folders.home, None)).collect();
    assert_eq!(names(&reader.read(&roots, later())), Vec::<&str>::new());
    let set = reader.read(&elsewhere, later());
    assert_eq!(set.index.get("a").unwrap().path, "project/.claude/skills/a/SKILL.md");
}

#[test]
fn a_damaged_cache_is_an_error() {
    let folders = Folders::new();
    folders.write(".claude/skills/a/SKILL.md", manifest("a", "A."));
    let mut reader = SkillReader::new();
    reader.read(&folders.roots(), later());
    let mut bytes = reader.encode().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(matches!(SkillReader::decode(&bytes), Err(CacheError::Invalid)));
    assert!(matches!(SkillReader::decode(b"another file"), Err(CacheError::Invalid)));
}

/// A workspace that is the home folder has each folder once, so that no skill shadows itself.
#[test]
fn folders_of_a_workspace_that_is_the_home_folder_are_read_once() {
    let home = std::path::Path::new("/home/dev");
    let shown = |user| {
        let roots = skill_files::default_roots(home, user);
        roots.into_iter().map(|root| root.shown).collect::<Vec<_>>()
    };
    assert_eq!(shown(Some(home)), [".agents/skills", ".claude/skills"]);
    let other = std::path::Path::new("/home/other");
    assert_eq!(shown(Some(other)), [".agents/skills", ".claude/skills", "~/.agents/skills", "~/.claude/skills"]);
}
