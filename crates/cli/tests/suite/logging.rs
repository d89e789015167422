//! Log lines of the gateway, and the environment variable that filters them.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::{desk::Desk, gateway::RunningGateway};

#[test]
fn log_lines_are_json_with_a_time_when_asked_for() {
    let desk = Desk::new();
    let arguments = ["--json", "serve", "--listen", "127.0.0.1:0", "--log-format", "json"];
    let mut command = desk.command(&arguments);
    let mut gateway = RunningGateway::spawn(command.env("RUST_LOG", "off,engine=warn").stderr(Stdio::piped()));
    // A policy with errors is logged when the gateway reads it again.
    desk.write(".turnwise/routing.yaml", "rulez: []\n");
    let mut lines = BufReader::new(gateway.take_stderr()).lines();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(line["level"], "WARN", "{line}");
    assert!(line["timestamp"].as_str().unwrap().ends_with('Z'), "{line}");
    assert_eq!(line["problems"], 1, "{line}");
}

#[test]
fn each_request_is_a_line_with_its_status_and_duration_at_level_info() {
    let desk = Desk::new();
    let arguments = ["--json", "serve", "--listen", "127.0.0.1:0", "--log-format", "json"];
    let mut command = desk.command(&arguments);
    let mut gateway = RunningGateway::spawn(command.env("RUST_LOG", "warn,gateway=info").stderr(Stdio::piped()));
    let mut lines = BufReader::new(gateway.take_stderr()).lines();
    assert_eq!(gateway.get("/health"), 200);
    let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(
        (&line["level"], &line["message"], &line["span"]["name"]),
        (&"INFO".into(), &"close".into(), &"request".into())
    );
    assert_eq!((&line["span"]["path"], &line["span"]["status"]), (&"/health".into(), &200.into()), "{line}");
    assert!(line["time.busy"].is_string(), "{line}");
}

#[test]
fn an_invalid_filter_in_the_environment_is_reported() {
    let desk = Desk::new();
    let refused = desk.command(&["status"]).env("RUST_LOG", "gateway=loud").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("RUST_LOG=gateway=loud"));
}

/// A gateway whose standard error is closed serves requests and stops normally.
#[test]
fn a_gateway_outlives_the_reader_of_its_output() {
    let desk = Desk::new();
    let mut command = desk.command(&["--json", "-vv", "serve", "--listen", "127.0.0.1:0"]);
    let mut gateway = RunningGateway::spawn(command.stderr(Stdio::piped()));
    drop(gateway.take_stderr());
    desk.with_session();
    // The gateway logs a warning about each of these policies.
    for round in 0..5 {
        desk.write(".turnwise/routing.yaml", &format!("rulez: [{round}]\n"));
        std::thread::sleep(std::time::Duration::from_millis(120));
        desk.ok(&["import", "claude-code"]);
    }
    assert_eq!(gateway.get("/health"), 200);
    assert_eq!(gateway.signal("-TERM"), Some(0));
}
