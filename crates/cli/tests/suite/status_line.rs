//! `turnwise statusline` beside a gateway in front of a mock provider.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::net::UnixListener,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use mock_upstream::{Failure, MockUpstream, Settings};

use crate::{desk::Desk, gateway::RunningGateway};

/// A policy with a rule, a fallback and a budget that the first turns spend.
const POLICY: &str = "rules:
  - {name: fast for commits, when: {message_matches: '^commit'}, use: haiku}
  - {name: two models, when: {message_matches: '^both'}, use: [opus, haiku]}
global_default: sonnet
";

/// Runs `statusline` with an input, which stays open, and returns the line and the time that the command took.
fn line(desk: &Desk, input: &str) -> (String, Duration) {
    let started = Instant::now();
    let mut child = desk.command(&["statusline"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    stdin.flush().unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    drop(stdin);
    assert_eq!(text.lines().count(), 1, "{text}");
    (text.trim_end().to_owned(), started.elapsed())
}

/// As [`line`], for a gateway that runs: repeated while it does not answer in time, as on a machine that is busy with
/// other tests.
fn answered_line(desk: &Desk, input: &str) -> String {
    let started = Instant::now();
    loop {
        let text = line(desk, input).0;
        if !text.ends_with("turnwise is busy") {
            return text;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "the gateway never answered");
    }
}

/// Returns the JSON that Claude Code 2.1 writes, with the fields that matter here and some others.
fn input(session: &str, api_milliseconds: u64) -> String {
    serde_json::json!({
        "session_id": session, "transcript_path": "/tmp/t.jsonl", "cwd": "/work",
        "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
        "workspace": {"current_dir": "/work", "project_dir": "/work", "added_dirs": []}, "version": "2.1.197",
        "output_style": {"name": "default"},
        "cost": {"total_cost_usd": 0.1, "total_duration_ms": 9, "total_api_duration_ms": api_milliseconds},
        "context_window": {"current_usage": null},
    })
    .to_string()
}

/// Sends a message of Claude Code in a session and returns the status of the response.
pub(crate) fn send(gateway: &RunningGateway, session: &str, message: &str) -> u16 {
    let body = serde_json::json!({
        "model": "claude-opus-4-8", "max_tokens": 100, "messages": [{"role": "user", "content": message}],
    })
    .to_string();
    let mut stream = TcpStream::connect(&gateway.address).unwrap();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nuser-agent: claude-cli/2.1.197 (external, cli)\r\n\
         x-claude-code-session-id: {session}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        gateway.address,
        body.len()
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Starts a gateway in front of a mock provider, with the policy of this file and a line more.
pub(crate) fn start(desk: &Desk, mock: &MockUpstream, more: &str) -> RunningGateway {
    desk.write(".turnwise/routing.yaml", &format!("{POLICY}{more}"));
    let configuration = format!("providers:\n  anthropic: {{url: \"{}\"}}\ntimeouts: {{retries: 0}}\n", mock.url());
    desk.write(".turnwise/gateway.yaml", &configuration);
    let mut command = desk.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    RunningGateway::spawn(command.env("ANTHROPIC_API_KEY", "key-of-the-mock").stderr(Stdio::null()))
}

#[test]
fn the_line_names_the_model_that_answered_the_session_and_why() {
    let (desk, mock) = (Desk::new(), MockUpstream::start(Settings::default()).unwrap());
    let gateway = start(&desk, &mock, "");
    assert_eq!(answered_line(&desk, &input("s-1", 0)), "Opus 5.5 · turnwise decides the first message · $0.00 today");
    assert_eq!(answered_line(&desk, &input("s-1", 7)), "Opus 5.5 · not through turnwise · $0.00 today");
    assert_eq!(send(&gateway, "s-1", "commit this"), 200);
    assert_eq!(send(&gateway, "s-2", "hello"), 200);
    let first = answered_line(&desk, &input("s-1", 7));
    assert!(first.starts_with("haiku-5-5 · fast for commits · $0.0") && first.ends_with(" today"), "{first}");
    let second = answered_line(&desk, &input("s-2", 7));
    assert!(second.starts_with("opus-4-8 · as requested · $"), "{second}");
    // Without a session in the input: the latest.
    assert_eq!(answered_line(&desk, "not json"), second);
    mock.fail(Failure::always(Failure::status(529)).for_model("claude-opus-5-5"));
    assert_eq!(send(&gateway, "s-1", "both of them"), 200);
    let third = answered_line(&desk, &input("s-1", 7));
    assert!(third.starts_with("haiku-5-5 · opus-5-5 failed · $"), "{third}");
    let reports = std::iter::repeat_with(|| desk.json(&["statusline"]));
    let json = reports.take(100).find(|json| json["gateway"] != "busy").unwrap();
    assert_eq!(json["line"], third);
    assert_eq!(json["gateway"]["report"]["turn"]["model"], "anthropic:claude-haiku-5-5");
}

#[test]
fn a_budget_that_is_nearly_spent_or_spent_is_in_the_line() {
    let (desk, mock) = (Desk::new(), MockUpstream::start(Settings::default()).unwrap());
    let gateway = start(&desk, &mock, "budgets: [{limit_usd: 0.000001, period: day}]\n");
    assert_eq!((send(&gateway, "s-1", "hello"), send(&gateway, "s-1", "and again")), (200, 400));
    let refused = answered_line(&desk, &input("s-1", 7));
    assert!(refused.starts_with("no model · refused: turnwise why · $0.0"), "{refused}");
    assert!(refused.ends_with(" today · $0.00 of $0.000001 left"), "{refused}");
    desk.write(
        ".turnwise/routing.yaml",
        &format!("{POLICY}budgets: [{{limit_usd: 0.000001, period: day, on_reached: warn}}]\n"),
    );
    // A file that was just written is read a moment later, since a program may still be writing it.
    let started = Instant::now();
    while send(&gateway, "s-1", "once more") != 200 {
        assert!(started.elapsed() < Duration::from_secs(20), "the edited policy is never used");
    }
    let spent = answered_line(&desk, &input("s-1", 7));
    assert!(spent.contains(" today · $0.00 of $0.000001 left"), "{spent}");
}

#[test]
fn without_a_gateway_the_line_says_so() {
    let desk = Desk::new();
    assert_eq!(line(&desk, &input("s-1", 7)).0, "Opus 5.5 · turnwise is not running");
    assert_eq!(line(&desk, "").0, "Claude Code · turnwise is not running");
    assert!(!desk.path(".turnwise").exists(), "nothing is written");
}

#[test]
fn a_gateway_that_does_not_answer_delays_the_line_by_its_limit_only() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path(".turnwise/run")).unwrap();
    let _silent = UnixListener::bind(desk.path(".turnwise/run/control.sock")).unwrap();
    let (text, elapsed) = line(&desk, &input("s-1", 7));
    assert_eq!(text, "Opus 5.5 · turnwise is busy");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
}

#[test]
fn an_input_that_does_not_end_delays_the_line_by_its_limit_only() {
    let desk = Desk::new();
    let (text, elapsed) = line(&desk, "{\"session_id\": \"s-1\"");
    assert_eq!(text, "Claude Code · turnwise is not running");
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
}

#[test]
fn a_gateway_of_another_version_is_named_and_the_exit_code_stays_zero() {
    let desk = Desk::new();
    fs::create_dir_all(desk.path(".turnwise/run")).unwrap();
    let listener = UnixListener::bind(desk.path(".turnwise/run/control.sock")).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 1024];
            assert_ne!(stream.read(&mut request).unwrap(), 0);
            // The command may have given up.
            let _ = writeln!(stream, "{{\"version\":99,\"response\":null}}");
        }
    });
    let text = answered_line(&desk, &input("s-1", 7));
    assert!(text.starts_with("Opus 5.5 · turnwise: the running gateway uses"), "{text}");
}

/// The command in the settings runs in a shell.
#[test]
fn the_installed_command_prints_the_line() {
    let desk = Desk::new();
    let installed = desk.json(&["init", "--claude-code"]);
    let command = installed["status_line"]["command"].as_str().unwrap();
    let output = Command::new("sh").args(["-c", command]).env("HOME", desk.path(".")).stdin(Stdio::null()).output();
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Claude Code · turnwise is not running\n");
}
