//! The commands that a new user runs first.

use crate::desk::{Desk, said};

#[test]
fn the_first_five_minutes_read_well() {
    let desk = Desk::new();
    desk.with_session();
    let steps: Vec<_> = [
        &["init"][..],
        &["rules", "check"],
        &["route", "/commit fix the auth bug"],
        &["import", "claude-code"],
        &["why", "last"],
        &["model", "show"],
        &["status"],
    ]
    .iter()
    .map(|arguments| format!("$ turnwise {}\n{}", arguments.join(" "), desk.ok(arguments)))
    .collect();
    insta::assert_snapshot!(steps.join("\n"));
}

#[test]
fn init_keeps_a_policy_that_is_there() {
    let desk = Desk::new();
    desk.ok(&["init"]);
    desk.write(".turnwise/routing.yaml", "global_default: opus\n");
    insta::assert_snapshot!(said(&desk.run(&["init"])));
    assert_eq!(std::fs::read_to_string(desk.path(".turnwise/routing.yaml")).unwrap(), "global_default: opus\n");
    desk.ok(&["init", "--force"]);
    desk.ok(&["rules", "check"]);
}

#[test]
fn a_home_without_any_file_still_decides() {
    let desk = Desk::new();
    let decided = desk.json(&["route", "hello"]);
    assert_eq!(decided["decided_by"], "GLOBAL_DEFAULT");
    assert!(!desk.log().exists(), "a dry decision leaves nothing behind");
}

#[test]
fn the_demo_needs_nothing_and_leaves_nothing() {
    let desk = Desk::new();
    let shown = desk.ok(&["demo"]);
    assert!(shown.contains("Why this model?") && shown.contains("CONFIGURED_RULES"), "{shown}");
    let demo = desk.json(&["demo"]);
    assert_eq!(demo["turns"].as_array().unwrap().len(), 9);
    assert_eq!(std::fs::read_dir(desk.path(".")).unwrap().count(), 0);
}

#[test]
fn output_has_no_colours_off_a_terminal_and_json_everywhere() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    for arguments in [
        &["models"][..],
        &["status"],
        &["cost"],
        &["why"],
        &["rules", "show"],
        &["model", "show"],
        &["events", "verify"],
    ] {
        assert!(!desk.ok(arguments).contains('\u{1b}'), "{arguments:?}");
        desk.json(arguments);
    }
    assert!(desk.ok(&["--color", "always", "cost"]).contains('\u{1b}'));
}

#[test]
fn a_closed_pipe_is_no_crash() {
    use std::{io::Read as _, process::Stdio};
    let desk = Desk::new();
    let mut child = desk.command(&["--json", "models"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    child.wait().unwrap();
    assert_eq!(complaint, "");
}

#[test]
fn every_shell_gets_completions() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(desk.ok(&["completions", shell]).contains("turnwise"), "{shell}");
    }
}
