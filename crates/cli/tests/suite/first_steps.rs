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
fn init_with_one_key_writes_a_policy_for_its_provider_and_counts_what_its_rules_decide() {
    let desk = Desk::new();
    desk.with_session();
    desk.write("bin/codex", "#!/bin/sh\n");
    let run = desk.command(&["--json", "init"]).env("OPENAI_API_KEY", "sk-1").output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&report["provider"], &report["has_access"]), (&"openai".into(), &true.into()), "{report:#}");
    let models: Vec<_> = desk.json(&["rules", "show"])["rules"].as_array().unwrap().clone();
    assert!(models.iter().all(|rule| rule["use"][0].as_str().unwrap().starts_with("openai:")), "{models:#?}");
    // The bundled session has one "/commit" and one question early in the conversation.
    let counts = &report["dry_run"]["rules"];
    assert_eq!(counts.as_array().unwrap().len(), models.len());
    assert!(counts.as_array().unwrap().iter().any(|rule| 0 < rule[1].as_u64().unwrap()), "{counts:#}");
    assert!(!desk.log().exists(), "a dry run is not recorded");
}

#[test]
fn init_names_the_clients_on_the_path_with_their_logins() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let program = desk.write("bin/codex", "#!/bin/sh\n");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    desk.write("bin/claude", "not executable");
    desk.write(".codex/auth.json", "{}");
    let run = desk.command(&["--json", "init"]).env("PATH", desk.path("bin")).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let clients = report["found"]["clients"].as_array().unwrap();
    assert_eq!(clients.len(), 1, "{clients:#?}");
    assert_eq!((&clients[0]["client"], &clients[0]["login"]), (&"Codex".into(), &true.into()));
    assert_eq!((&report["provider"], &report["because"]), (&"openai".into(), &"Codex is logged in".into()));
    let has_step = |step: &str| report["next"].as_array().unwrap().iter().any(|next| next[0] == step);
    assert!(has_step("turnwise codex") && !has_step("turnwise claude"), "{report:#}");
}

#[test]
fn a_policy_without_a_gateway_block_leaves_a_client_the_model_it_asks_for() {
    let policy = "schema_version: 1\nglobal_default: sonnet\n";
    let registry = std::sync::Arc::new(catalogue::load_registry(None).unwrap());
    let policy = router_core::Policy::load(policy, registry, None).unwrap();
    assert_eq!(policy.gateway().client_model, router_core::ClientModel::Default);
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
fn the_demo_needs_nothing_shows_a_saving_and_leaves_a_log_that_can_be_asked() {
    let desk = Desk::new();
    let demo = |arguments: &[&str]| {
        let output = desk.command(arguments).env("TMPDIR", desk.path(".")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = demo(&["demo"]);
    assert!(shown.contains("Why this model?") && shown.contains("CONFIGURED_RULES"), "{shown}");
    assert!(shown.contains("Under the starter policy it would have cost $"), "{shown}");
    let json: serde_json::Value = serde_json::from_str(&demo(&["--json", "demo"])).unwrap();
    assert_eq!(json["turns"].as_array().unwrap().len(), 9);
    assert!(0 < json["saved_nano_usd"].as_i64().unwrap(), "{json:#}");
    let home = json["home"].as_str().unwrap();
    let asked = desk.json(&["--home", home, "cost"]);
    assert!(asked.to_string().contains(&json["cost_nano_usd"].to_string()), "{asked:#}");
    desk.ok(&["--home", home, "why"]);
    assert!(!desk.path(".turnwise").exists(), "the own home folder is not touched");
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
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let written = desk.command(&["completions", shell]).stdout(full).status().unwrap();
        assert_eq!(written.code(), Some(0), "{shell}: a full device is no panic");
    }
}
