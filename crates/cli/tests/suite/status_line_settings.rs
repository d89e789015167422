//! `turnwise init --claude-code` and `--remove`.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::Value;

use crate::desk::{Desk, said};

const INSTALL: [&str; 2] = ["init", "--claude-code"];
const REMOVE: [&str; 3] = ["init", "--claude-code", "--remove"];
const SETTINGS: &str = ".claude/settings.json";
const BACKUP: &str = ".claude/settings.json.before-turnwise";

/// Settings as a user may have them: an unusual order, tabs, and a nested member of the same name.
const OWN: &str =
    "{\n\t\"zebra\": [1, 2],\n\t\"env\": {\"statusLine\": \"x\", \"A\": \"b\"},\n\t\"model\": \"opus\"\n}\n";

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.path(name)).unwrap()
}

fn command_of(desk: &Desk) -> String {
    let settings: Value = serde_json::from_str(&read(desk, SETTINGS)).unwrap();
    settings["statusLine"]["command"].as_str().unwrap_or_default().to_owned()
}

fn mode(path: PathBuf) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_status_line_is_added_beside_all_other_settings_and_removed_without_a_trace() {
    let desk = Desk::new();
    desk.write(SETTINGS, OWN);
    fs::set_permissions(desk.path(SETTINGS), fs::Permissions::from_mode(0o600)).unwrap();
    let printed = desk.ok(&INSTALL);
    assert!(printed.lines().all(|line| line.chars().count() <= 80 || line.starts_with("  + ")), "{printed}");
    assert!(printed.contains("  + ") && printed.contains("--remove"), "{printed}");
    assert!(command_of(&desk).ends_with("/turnwise statusline"), "{}", command_of(&desk));
    let installed = read(&desk, SETTINGS);
    assert!(installed.starts_with(OWN.trim_end().trim_end_matches('}').trim_end()), "{installed}");
    assert!(installed.contains("\t\t\t\t\t\t\"command\""), "the hook is indented with tabs: {installed}");
    assert_eq!(
        (read(&desk, BACKUP), mode(desk.path(SETTINGS)), mode(desk.path(BACKUP))),
        (OWN.to_owned(), 0o600, 0o600)
    );
    assert!(desk.ok(&INSTALL).contains("already"));
    desk.ok(&REMOVE);
    assert_eq!((read(&desk, SETTINGS), mode(desk.path(SETTINGS))), (OWN.to_owned(), 0o600));
    assert!(!desk.path(BACKUP).exists());
    assert!(desk.ok(&REMOVE).contains("has nothing of turnwise"));
    assert!(!desk.path(".turnwise").exists(), "no policy is written");
}

#[test]
fn settings_changed_in_between_keep_the_change_when_the_status_line_is_removed() {
    let desk = Desk::new();
    desk.write(SETTINGS, "{\"a\": 1}");
    desk.ok(&INSTALL);
    let changed = read(&desk, SETTINGS).replacen("\"a\": 1", "\"a\": 2", 1);
    desk.write(SETTINGS, &changed);
    desk.ok(&REMOVE);
    assert_eq!(read(&desk, SETTINGS), "{\"a\": 2}");
}

#[test]
fn a_missing_file_is_created_and_deleted_again() {
    let desk = Desk::new();
    desk.ok(&INSTALL);
    assert_eq!(mode(desk.path(SETTINGS)), 0o600);
    assert!(!command_of(&desk).is_empty() && !desk.path(BACKUP).exists());
    desk.ok(&REMOVE);
    assert!(!desk.path(SETTINGS).exists());
}

#[test]
fn another_status_line_is_replaced_only_on_demand_and_restored() {
    let desk = Desk::new();
    let foreign = "{\n  \"statusLine\": {\"type\": \"command\", \"command\": \"~/.claude/mine.sh\", \"padding\": 0},\n  \"a\": 1\n}\n";
    desk.write(SETTINGS, foreign);
    let kept = desk.ok(&INSTALL);
    assert!(kept.contains("kept ~/.claude/mine.sh") && kept.contains("--force"), "{kept}");
    assert_eq!(command_of(&desk), "~/.claude/mine.sh");
    desk.ok(&REMOVE);
    assert_eq!(read(&desk, SETTINGS), foreign);
    assert!(desk.ok(&REMOVE).contains("nothing of turnwise"));
    let printed = desk.ok(&["init", "--claude-code", "--force"]);
    assert!(printed.contains("  - ~/.claude/mine.sh"), "{printed}");
    assert!(command_of(&desk).ends_with(" statusline"));
    desk.write(SETTINGS, &read(&desk, SETTINGS).replace("\"a\": 1", "\"a\": 2"));
    desk.ok(&REMOVE);
    assert_eq!(command_of(&desk), "~/.claude/mine.sh");
    assert!(read(&desk, SETTINGS).contains("\"a\": 2") && !desk.path(BACKUP).exists());
}

#[test]
fn settings_that_are_not_valid_json_are_not_touched() {
    let desk = Desk::new();
    for text in ["{\n  \"a\": 1,\n}\n", "[]", "", "{\"a\": 1} // mine"] {
        desk.write(SETTINGS, text);
        for arguments in [&INSTALL[..], &REMOVE] {
            let run = desk.run(arguments);
            assert_eq!(run.code, 2, "{text:?}: {}", said(&run));
            assert!(run.err.contains("settings.json") && run.err.contains("line "), "{}", said(&run));
        }
        assert_eq!(read(&desk, SETTINGS), text);
    }
    assert_eq!(fs::read_dir(desk.path(".claude")).unwrap().count(), 1, "no copy and no temporary file");
}

#[test]
fn a_link_stays_a_link_and_its_target_is_changed() {
    let desk = Desk::new();
    let target = desk.write("dotfiles/claude.json", OWN);
    fs::create_dir_all(desk.path(".claude")).unwrap();
    std::os::unix::fs::symlink(&target, desk.path(SETTINGS)).unwrap();
    desk.ok(&INSTALL);
    assert!(desk.path(SETTINGS).is_symlink());
    assert!(read(&desk, "dotfiles/claude.json").contains(" statusline"));
    desk.ok(&REMOVE);
    assert!(desk.path(SETTINGS).is_symlink());
    assert_eq!(read(&desk, "dotfiles/claude.json"), OWN);
    fs::remove_file(target).unwrap();
    let run = desk.run(&INSTALL);
    assert!(run.code == 3 && run.err.contains("cannot read"), "a link to nothing: {}", said(&run));
}

#[test]
fn another_home_folder_is_part_of_the_command() {
    let desk = Desk::new();
    desk.ok(&["--home", "other home", "init", "--claude-code"]);
    let expected = format!(" --home '{}' statusline", desk.path("other home").display());
    assert!(command_of(&desk).ends_with(&expected), "{}", command_of(&desk));
    // Another program or home replaces the own status line without asking.
    desk.ok(&INSTALL);
    assert!(!command_of(&desk).contains("--home"));
    desk.ok(&REMOVE);
    assert!(!desk.path(SETTINGS).exists());
}
