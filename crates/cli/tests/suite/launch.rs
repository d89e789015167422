//! `turnwise claude` and `turnwise codex`, with scripts in place of the clients.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use crate::{desk::Desk, gateway::RunningGateway};

/// Writes a script named like a client, which prints its settings and arguments and exits with 7.
fn write_client(desk: &Desk, name: &str) {
    let script = "#!/bin/sh\necho \"url=$ANTHROPIC_BASE_URL token=$ANTHROPIC_AUTH_TOKEN\"\nfor a in \"$@\"; do echo \"[$a]\"; done\nexit 7\n";
    let path = desk.write(&format!("bin/{name}"), script);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs the program with the scripts and the system's shell on the PATH. Returns exit code, output and errors.
fn launch(desk: &Desk, arguments: &[&str]) -> (Option<i32>, String, String) {
    let path = format!("{}:/usr/bin:/bin", desk.path("bin").display());
    let output = desk.command(arguments).env("PATH", path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_client_runs_through_the_gateway_that_runs() {
    let desk = Desk::new();
    let gateway = RunningGateway::start(&desk);
    write_client(&desk, "claude");
    let (code, out, err) = launch(&desk, &["claude", "-p", "commit this", "--model", "opus"]);
    assert_eq!((code, err.as_str()), (Some(7), ""));
    assert_eq!(out, format!("url=http://{} token=any\n[-p]\n[commit this]\n[--model]\n[opus]\n", gateway.address));
    write_client(&desk, "codex");
    let (_, out, _) = launch(&desk, &["codex", "exec", "hello"]);
    let base = format!("base_url=\"http://{}/v1\"", gateway.address);
    assert!(
        out.contains("[model_provider=\"turnwise\"]") && out.contains(&base) && out.ends_with("[exec]\n[hello]\n"),
        "{out}"
    );
}

#[test]
fn without_a_gateway_one_is_started_and_found_again() {
    let desk = Desk::new();
    desk.write(".turnwise/gateway.yaml", "listen: 127.0.0.1:0\n");
    write_client(&desk, "claude");
    let (code, first, err) = launch(&desk, &["claude"]);
    let process = err.split("(process ").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or_default().to_owned();
    let second = launch(&desk, &["claude"]);
    let stopped = Command::new("kill").args(["-INT", &process]).status();
    assert!(err.contains("started the gateway at http://127.0.0.1:") && stopped.unwrap().success(), "{err}");
    assert!(code == Some(7) && first.starts_with("url=http://127.0.0.1:"), "{first}");
    assert_eq!(second, (Some(7), first, String::new()));
}

#[test]
fn a_client_that_is_not_installed_is_named_with_the_next_step() {
    let desk = Desk::new();
    let (code, _, err) = launch(&desk, &["claude"]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("Claude Code (`claude`) is in no folder of PATH; `npm install -g @anthropic-ai/claude-code`"),
        "{err}"
    );
}
