//! `turnwise doctor` on machines with and without faults.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    process::Stdio,
};

use mock_upstream::{MockUpstream, Settings};
use serde_json::Value;

use crate::{
    desk::{Desk, flip_a_bit},
    gateway::RunningGateway,
};

/// The exit code and the report of a run of `doctor`.
struct Diagnosis {
    code: i32,
    report: Value,
}

impl Diagnosis {
    /// Runs `doctor --json` with more arguments and environment variables. Programs are found in `bin` of the desk.
    fn of(desk: &Desk, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let arguments = [&["--json", "doctor"], arguments].concat();
        let output = desk.command(&arguments).env("PATH", desk.path("bin")).envs(variables.iter().copied()).output();
        let output = output.unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let code = output.status.code().unwrap();
        assert_eq!(report["ok"], code == 0, "{report:#}");
        Self { code, report }
    }

    /// Returns the level and the next step of the finding whose text contains `part`.
    fn finding(&self, section: &str, part: &str) -> (String, String) {
        let sections = self.report["sections"].as_array().unwrap();
        let section = sections.iter().find(|known| known["name"] == section).unwrap();
        let findings = section["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["text"].as_str().unwrap().contains(part));
        let found = found.unwrap_or_else(|| panic!("{part:?} is not in {section:#}"));
        let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
        (text("level"), text("next"))
    }

    #[track_caller]
    fn assert(&self, section: &str, part: &str, level: &str, next: &str) {
        let (found, step) = self.finding(section, part);
        assert_eq!(found, level, "{section}: {part}");
        assert!(step.contains(next), "{section}: {part}: {step}");
    }
}

/// Writes a program that prints its version.
fn write_client(desk: &Desk, name: &str, version: &str) {
    let path = desk.write(&format!("bin/{name}"), &format!("#!/bin/sh\necho '{version}'\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Asserts that every line has at most 80 columns.
#[track_caller]
fn assert_fits(text: &str) {
    let long: Vec<_> = text.lines().filter(|line| 80 < line.chars().count()).collect();
    assert!(long.is_empty(), "{long:#?}");
}

const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "sk-secret");

#[test]
fn a_machine_in_order_has_no_problem_and_fits_the_terminal() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["init", "--force"]);
    desk.ok(&["import", "claude-code"]);
    write_client(&desk, "claude", "2.1.197 (Claude Code)");
    desk.ok(&["init", "--claude-code"]);
    let diagnosis = Diagnosis::of(&desk, &[], &[KEY]);
    assert_eq!(diagnosis.code, 0, "{:#}", diagnosis.report);
    diagnosis.assert("policy", "4 rules", "ok", "");
    diagnosis.assert("keys", "anthropic: ANTHROPIC_API_KEY", "ok", "");
    diagnosis.assert("clients", "Claude Code 2.1.197", "note", "turnwise claude");
    diagnosis.assert("clients", "status line of turnwise", "ok", "");
    diagnosis.assert("log", "whole", "ok", "");
    diagnosis.assert("machine", "can be changed by you only", "ok", "");
    assert!(!diagnosis.report.to_string().contains("sk-secret"));
    let output = desk.command(&["doctor"]).env("PATH", desk.path("bin")).env(KEY.0, KEY.1).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("no problem found"), "{text}");
    assert_fits(&text);
}

#[test]
fn long_paths_are_broken_and_nothing_of_them_is_lost() {
    let desk = Desk::new();
    let folder = format!("{}/{}", "a-rather-long-name-of-a-folder-".repeat(4), "other/".repeat(9));
    let home = desk.path(&folder);
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("routing.yaml"), "rules:\n  - {name: x, when: {message_matches: '('}, use: haiku}\n").unwrap();
    let output = desk.command(&["doctor", "--home", home.to_str().unwrap()]).env("PATH", desk.path("bin")).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_fits(&text);
    let without_breaks: String = text.split_whitespace().collect();
    assert!(without_breaks.contains(folder.trim_end_matches('/')), "{text}");
}

#[test]
fn an_outage_is_a_problem_with_its_cause_and_the_command_that_ends_it() {
    let desk = Desk::new();
    desk.write(".turnwise/routing.yaml", "global_default: sonnet\n");
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
    let provider = format!("http://{}", refusing.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = refusing.accept().unwrap();
        assert_ne!(stream.read(&mut [0; 4096]).unwrap(), 0);
        stream.write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").unwrap();
    });
    desk.write(
        ".turnwise/gateway.yaml",
        &format!("listen: 127.0.0.1:0\nproviders: {{anthropic: {{url: \"{provider}\"}}}}\n"),
    );
    let gateway = RunningGateway::spawn(desk.command(&["--json", "serve"]).env(KEY.0, KEY.1).stderr(Stdio::null()));
    let body = r#"{"model": "turnwise", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}"#;
    let mut client = TcpStream::connect(&gateway.address).unwrap();
    let (host, length) = (&gateway.address, body.len());
    write!(
        client,
        "POST /v1/messages HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    server.join().unwrap();
    let diagnosis = Diagnosis::of(&desk, &[], &[KEY]);
    assert_eq!(diagnosis.code, 1);
    diagnosis.assert("outages", "anthropic is unavailable until", "problem", "turnwise providers retry anthropic");
    desk.ok(&["providers", "retry", "anthropic"]);
    Diagnosis::of(&desk, &[], &[KEY]).assert("outages", "no provider has an outage", "ok", "");
}

#[test]
fn an_empty_machine_is_told_the_first_steps() {
    let desk = Desk::new();
    let diagnosis = Diagnosis::of(&desk, &[], &[]);
    assert_eq!(diagnosis.code, 1);
    diagnosis.assert("policy", "built-in policy", "note", "turnwise init");
    diagnosis.assert("keys", "no key and no login", "problem", "ANTHROPIC_API_KEY");
    diagnosis.assert("clients", "no coding agent", "note", "npm install");
    diagnosis.assert("log", "nothing was recorded", "ok", "");
    assert!(!desk.path(".turnwise").exists(), "nothing is written");
}

#[test]
fn each_fault_is_a_problem_with_its_next_step() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk.write(".turnwise/routing.yaml", "rules:\n  - {name: x, when: {message_matches: '('}, use: haiku}\n");
    desk.write(".turnwise/tokens", "laptop 00\n");
    desk.write(".claude/settings.json", "{\"env\": {\"ANTHROPIC_BASE_URL\": \"http://localhost:4141\"}}");
    desk.write(".codex/config.toml", "openai_base_url = \"http://127.0.0.1:4141\"\n");
    write_client(&desk, "claude", "2.1.197");
    write_client(&desk, "codex", "codex-cli 0.169.0");
    write_client(&desk, "aider", "aider 0.86.2");
    flip_a_bit(&desk.log().join("journal"));
    fs::set_permissions(desk.path(".turnwise"), fs::Permissions::from_mode(0o777)).unwrap();
    let diagnosis = Diagnosis::of(&desk, &[], &[("OPENAI_API_BASE", "https://elsewhere.example/v1")]);
    assert_eq!(diagnosis.code, 1);
    diagnosis.assert("policy", "1 error", "problem", "turnwise rules check");
    diagnosis.assert("keys", "no key and no login", "problem", "set ");
    diagnosis.assert("clients", "sends to the gateway", "problem", "turnwise serve");
    diagnosis.assert("clients", "must end in /v1", "problem", "config.toml");
    diagnosis.assert("clients", "https://elsewhere.example/v1, not to the gateway", "note", "OPENAI_API_BASE=");
    diagnosis.assert("gateway", "tokens", "problem", "corrected");
    diagnosis.assert("log", "", "problem", "turnwise events verify");
    diagnosis.assert("machine", "mode 777", "problem", "chmod go-w");
}

#[test]
fn a_file_of_keys_that_others_can_read_is_a_problem() {
    let desk = Desk::new();
    let keys = desk.write(".turnwise/keys", "anthropic: sk-secret\n");
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let diagnosis = Diagnosis::of(&desk, &[], &[]);
    diagnosis.assert("keys", "chmod 600", "problem", "correct the file");
    fs::set_permissions(keys, fs::Permissions::from_mode(0o600)).unwrap();
    let diagnosis = Diagnosis::of(&desk, &[], &[]);
    diagnosis.assert("keys", "anthropic: ", "ok", "");
    assert!(!diagnosis.report.to_string().contains("sk-secret"));
}

#[test]
fn a_running_gateway_is_found_with_its_keys_and_outages() {
    let desk = Desk::new();
    desk.write(".turnwise/gateway.yaml", "listen: 127.0.0.1:0\n");
    let mut command = desk.command(&["--json", "serve"]);
    let gateway = RunningGateway::spawn(command.env(KEY.0, KEY.1).stderr(Stdio::null()));
    write_client(&desk, "claude", "2.1.197");
    let url = format!("http://{}", gateway.address);
    let diagnosis = Diagnosis::of(&desk, &[], &[KEY, ("ANTHROPIC_BASE_URL", &url)]);
    assert_eq!(diagnosis.code, 0, "{:#}", diagnosis.report);
    diagnosis.assert("gateway", &format!("{url} runs as process "), "ok", "");
    diagnosis.assert("clients", "sends to the gateway (ANTHROPIC_BASE_URL)", "ok", "");
    let diagnosis = Diagnosis::of(&desk, &[], &[KEY, ("OPENAI_API_KEY", "sk-2")]);
    diagnosis.assert("keys", "the running gateway has no key for openai", "problem", "turnwise serve");
}

#[test]
fn online_asks_each_provider_whether_it_accepts_the_key() {
    let (desk, mock) = (Desk::new(), MockUpstream::start(Settings::default()).unwrap());
    let url = mock.url();
    let nowhere = "http://127.0.0.1:9";
    let providers = format!(
        "providers:\n  anthropic: {{url: \"{url}\"}}\n  openai: {{url: \"{nowhere}\"}}\n  groq: {{url: \"{url}/missing\"}}\n"
    );
    desk.write(".turnwise/gateway.yaml", &providers);
    let keys = [KEY, ("OPENAI_API_KEY", "sk-2"), ("GROQ_API_KEY", "sk-3")];
    let diagnosis = Diagnosis::of(&desk, &["--online"], &keys);
    assert_eq!(diagnosis.code, 1);
    diagnosis.assert("keys", &format!("anthropic: ANTHROPIC_API_KEY, accepted by {url}"), "ok", "");
    diagnosis.assert("keys", "openai: http://127.0.0.1:9 cannot be reached: ", "problem", "gateway.yaml");
    diagnosis.assert("keys", "groq: GROQ_API_KEY", "note", "gateway.yaml");
    let refusing = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = refusing.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = refusing.accept().unwrap();
        let mut request = [0; 4096];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n").unwrap();
        String::from_utf8_lossy(&request[..length]).to_lowercase()
    });
    desk.write(".turnwise/gateway.yaml", &format!("providers: {{anthropic: {{url: \"http://{address}\"}}}}\n"));
    let diagnosis = Diagnosis::of(&desk, &["--online"], &[KEY]);
    diagnosis.assert("keys", "refused the key in ANTHROPIC_API_KEY (401)", "problem", "correct ANTHROPIC_API_KEY");
    let request = server.join().unwrap();
    assert!(request.starts_with("get /v1/models http") && request.contains("x-api-key: sk-secret"), "{request}");
}

#[test]
fn a_preview_names_the_missing_key_of_its_model() {
    let desk = Desk::new();
    let run = desk.run(&["route", "hi"]);
    assert!(run.err.contains("there is no key for anthropic: set ANTHROPIC_API_KEY"), "{}", run.err);
    let preview = desk.json(&["route", "hi"]);
    assert!(preview["missing_key"].as_str().unwrap().contains("ANTHROPIC_API_KEY"), "{preview:#}");
    let output = desk.command(&["route", "hi"]).env(KEY.0, KEY.1).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
