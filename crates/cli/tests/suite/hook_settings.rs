//! The hook in the settings that `turnwise init --claude-code` and `--remove` change.

use std::fs;

use serde_json::{Value, json};

use crate::desk::{Desk, said};

const INSTALL: [&str; 2] = ["init", "--claude-code"];
const REMOVE: [&str; 3] = ["init", "--claude-code", "--remove"];
const SETTINGS: &str = ".claude/settings.json";

/// Settings with hooks of others, in an unusual layout.
const HOOKS: &str = "{\n\t\"hooks\": {\n\t\t\"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}],\n\t\t\
                     \"Stop\": [ ]\n\t},\n\t\"model\": \"opus\"\n}\n";

fn read(desk: &Desk, name: &str) -> String {
    fs::read_to_string(desk.path(name)).unwrap()
}

/// Returns the commands of all hooks in a settings file that run when a message is submitted.
fn commands(desk: &Desk, name: &str) -> Vec<String> {
    let settings: Value = serde_json::from_str(&read(desk, name)).unwrap();
    let groups = settings["hooks"]["UserPromptSubmit"].as_array().cloned().unwrap_or_default();
    let hooks = groups.iter().flat_map(|group| group["hooks"].as_array().unwrap());
    hooks.map(|hook| hook["command"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_hook_is_added_beside_those_of_others_and_removed_without_a_trace() {
    let desk = Desk::new();
    desk.write(SETTINGS, HOOKS);
    let printed = desk.ok(&INSTALL);
    assert!(printed.contains("hook prompt-submit") && printed.contains("statusline"), "{printed}");
    let installed = commands(&desk, SETTINGS);
    assert_eq!((installed.len(), installed[0].as_str()), (2, "date"));
    assert!(installed[1].ends_with("/turnwise hook prompt-submit || true"), "{installed:?}");
    let text = read(&desk, SETTINGS);
    assert!(text.contains("{\"hooks\": [{\"type\": \"command\", \"command\": \"date\"}]}"), "{text}");
    assert!(desk.ok(&INSTALL).contains("already"));
    assert_eq!(read(&desk, SETTINGS), text);
    // Another command of turnwise replaces it.
    desk.ok(&["--home", "other home", "init", "--claude-code"]);
    let moved = commands(&desk, SETTINGS);
    assert!(moved.len() == 2 && moved[1].contains("--home") && moved[1].ends_with("|| true"), "{moved:?}");
    desk.ok(&REMOVE);
    assert_eq!(read(&desk, SETTINGS), HOOKS);
    assert!(desk.ok(&REMOVE).contains("nothing of turnwise"));
}

#[test]
fn changes_of_others_in_between_stay() {
    let desk = Desk::new();
    desk.write(SETTINGS, HOOKS);
    desk.ok(&INSTALL);
    desk.write(SETTINGS, &read(&desk, SETTINGS).replace("\"date\"", "\"date -u\""));
    desk.ok(&REMOVE);
    assert_eq!(read(&desk, SETTINGS), HOOKS.replace("\"date\"", "\"date -u\""));
}

#[test]
fn a_project_gets_the_hook_alone_without_a_path_of_this_machine() {
    let desk = Desk::new();
    fs::create_dir(desk.path("shop")).unwrap();
    let run = |arguments: &[&str]| {
        let output = desk.command(arguments).current_dir(desk.path("shop")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run(&["init", "--claude-code", "--project"]);
    assert!(printed.contains("--project --remove"), "{printed}");
    let settings: Value = serde_json::from_str(&read(&desk, "shop/.claude/settings.json")).unwrap();
    let hook = json!({ "type": "command", "command": "turnwise hook prompt-submit --project || true", "timeout": 5 });
    assert_eq!(settings, json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [hook] }] } }));
    assert!(!desk.path(SETTINGS).exists(), "the settings of the user are unchanged");
    assert_eq!(fs::read_dir(desk.path("shop/.claude")).unwrap().count(), 1, "no copy");
    run(&["init", "--claude-code", "--project", "--remove"]);
    assert!(!desk.path("shop/.claude/settings.json").exists());
}

#[test]
fn a_project_keeps_its_other_settings() {
    let desk = Desk::new();
    let own = "{ \"permissions\": {\"allow\": [\"Bash(ls:*)\"]},\n\n \"hooks\": {} }\n";
    desk.write("shop/.claude/settings.json", own);
    for (arguments, is_installed) in [
        (&["init", "--claude-code", "--project"][..], true),
        (&["init", "--claude-code", "--project", "--remove"], false),
    ] {
        assert!(desk.command(arguments).current_dir(desk.path("shop")).status().unwrap().success());
        assert_eq!(commands(&desk, "shop/.claude/settings.json").len(), usize::from(is_installed));
    }
    let expected: Value = serde_json::from_str(own).unwrap();
    let mut found: Value = serde_json::from_str(&read(&desk, "shop/.claude/settings.json")).unwrap();
    assert!(read(&desk, "shop/.claude/settings.json").starts_with("{ \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}"));
    // An empty object of hooks is not restored.
    found["hooks"] = json!({});
    assert_eq!(found, expected);
}

#[test]
fn hooks_that_claude_code_cannot_read_are_not_touched() {
    let desk = Desk::new();
    for text in ["{\"hooks\": []}", "{\"hooks\": {\"UserPromptSubmit\": {\"a\": 1}}}"] {
        desk.write(SETTINGS, text);
        let run = desk.run(&INSTALL);
        assert!(run.code == 2 && run.err.contains("another form"), "{}", said(&run));
        assert_eq!(read(&desk, SETTINGS), text);
    }
}
