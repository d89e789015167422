//! Commands that write, beside a running gateway.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use crate::{
    desk::{Desk, said},
    gateway::RunningGateway,
};

/// The path of the control socket in the user's home.
const SOCKET: &str = ".turnwise/run/control.sock";

/// Creates a home with the bundled session imported.
fn desk_with_log() -> Desk {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["import", "claude-code"]);
    desk
}

/// Each command that writes, also with invalid arguments, in an order in which each has an effect.
const WRITING: [&[&str]; 17] = [
    &["import", "claude-code"],
    &["import", "codex", "sessions"],
    &["import", "openai-log", "calls.jsonl"],
    &["feedback", "down", "c1a69c50"],
    &["--json", "feedback", "up", "c1a69c50"],
    &["feedback", "up", "ffffffff"],
    &["model", "opus"],
    &["--json", "model", "-"],
    &["model", "nonsense"],
    &["model", "opus", "--session", "unknown"],
    &["route", "override"],
    &["route", "ignore", "c1a69c50"],
    &["patterns", "evaluate", "--rubric", "strict.yaml"],
    &["--json", "patterns", "embed"],
    &["patterns", "clear", "--all", "--yes"],
    &["providers", "retry", "anthropic"],
    &["providers", "retry", "nobody"],
];

/// Executes the commands of [`WRITING`] and returns the arguments, exit code and output of each.
fn outputs(desk: &Desk) -> Vec<String> {
    desk.with_session();
    desk.write("sessions/rollout-a.jsonl", include_str!("../../../transcripts/tests/fixtures/codex/pages.jsonl"));
    desk.write("calls.jsonl", include_str!("../../../transcripts/tests/fixtures/openai-log/calls.jsonl"));
    desk.write("strict.yaml", "name: strict\nversion: 1\nweights: {tools: 90}\n");
    WRITING.iter().map(|arguments| format!("{arguments:?}\n{}", said(&desk.run(arguments)))).collect()
}

#[test]
fn each_writing_command_prints_the_same_with_and_without_a_gateway() {
    let (without, with) = (Desk::new(), Desk::new());
    let mut gateway = RunningGateway::start(&with);
    for (without, with) in outputs(&without).iter().zip(outputs(&with)) {
        assert_eq!(*without, with);
    }
    assert_eq!(gateway.get("/health"), 200);
    assert_eq!(gateway.signal("-TERM"), Some(0));
    assert!(!with.path(SOCKET).exists(), "the socket is removed on shutdown");
    let counts = |desk: &Desk| {
        let verified = desk.json(&["events", "verify"]);
        ["sessions", "turns", "decisions", "calls", "tools"].map(|name| verified["counts"][name].clone())
    };
    assert_eq!(counts(&without), counts(&with));
    assert!(with.ok(&["replay"]).contains("byte for byte"));
}

#[test]
fn messages_are_embedded_beside_a_gateway() {
    let stand_in = crate::embedded::stand_in();
    let desk = crate::embedded::desk(&stand_in.url, "");
    let _gateway = RunningGateway::start(&desk);
    assert_eq!(desk.ok(&["patterns", "embed"]), "9 messages embedded by nomic-embed-text/3.\n");
    assert_eq!(desk.ok(&["patterns", "embed"]), "Every message of the log is embedded already.\n");
}

/// Only the owner may access the socket and its folder.
#[test]
fn the_socket_is_its_owners_alone() {
    let desk = Desk::new();
    let _gateway = RunningGateway::start(&desk);
    let mode = |name: &str| fs::metadata(desk.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(SOCKET), mode(".turnwise/run")), (0o600, 0o700));
}

/// A command and a gateway start although a killed gateway left its socket file.
#[test]
fn the_socket_of_a_killed_gateway_does_no_harm() {
    let desk = desk_with_log();
    let mut gateway = RunningGateway::start(&desk);
    assert_eq!(gateway.signal("-KILL"), None);
    assert!(desk.path(SOCKET).exists());
    desk.ok(&["model", "opus"]);
    let _gateway = RunningGateway::start(&desk);
    assert!(desk.ok(&["model", "show"]).contains("opus"));
    desk.ok(&["model", "haiku"]);
    assert!(desk.ok(&["model", "show"]).contains("haiku"));
}

#[test]
fn a_second_gateway_on_the_same_home_is_refused_and_the_first_keeps_its_socket() {
    let desk = desk_with_log();
    let _gateway = RunningGateway::start(&desk);
    let second = desk.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(second.code == 3 && second.err.contains("in use by"), "{}", said(&second));
    desk.ok(&["model", "opus"]);
}

/// Sends a line to the control socket and returns the response.
fn raw_request(desk: &Desk, line: &str) -> serde_json::Value {
    let mut stream = UnixStream::connect(desk.path(SOCKET)).unwrap();
    writeln!(stream, "{line}").unwrap();
    let mut response = String::new();
    BufReader::new(stream).read_line(&mut response).unwrap();
    serde_json::from_str(&response).unwrap()
}

#[test]
fn another_version_of_the_protocol_is_refused_with_the_next_step() {
    let desk = Desk::new();
    let _gateway = RunningGateway::start(&desk);
    let refused = raw_request(&desk, r#"{"version": 99, "request": {"operation": "of_the_future"}}"#);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("version 1") && message.contains("version 99"), "{message}");
    assert!(message.contains("restart `turnwise serve`"), "{message}");
    let unreadable = raw_request(&desk, "no JSON");
    assert!(unreadable["error"]["message"].as_str().unwrap().contains("not a request"), "{unreadable}");
}

/// A command that replaces files of the log fails beside a gateway, and its error states the reason and the next step.
#[test]
fn a_command_that_needs_the_log_to_itself_says_why() {
    let desk = desk_with_log();
    desk.ok(&["events", "export", "log.jsonl"]);
    let _gateway = RunningGateway::start(&desk);
    for arguments in [
        &["events", "purge", "--text", "--yes"][..],
        &["events", "retain", "--before", "90d", "--yes"],
        &["events", "import", "log.jsonl"],
        &["events", "repair", "--yes"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, 3, "{}", said(&run));
        assert!(run.err.contains("`turnwise serve` is running, and "), "{}", said(&run));
        assert!(run.err.contains("stop it, run this command again"), "{}", said(&run));
    }
    assert!(desk.ok(&["events", "purge", "--text"]).contains("Nothing was changed"));
}

#[test]
fn the_gateway_answers_during_an_import() {
    const FILES: usize = 60;
    let desk = Desk::new();
    for number in 0..FILES {
        desk.write(&format!(".claude/projects/shop/{number}.jsonl"), &crate::sessions::numbered_session(number));
    }
    let gateway = RunningGateway::start(&desk);
    let imported = AtomicBool::new(false);
    let (mut requests, mut slowest) = (0, Duration::ZERO);
    std::thread::scope(|scope| {
        let import = scope.spawn(|| {
            let import = desk.json(&["import", "claude-code"]);
            imported.store(true, Ordering::Relaxed);
            import
        });
        while !imported.load(Ordering::Relaxed) {
            let started = Instant::now();
            // The engine thread answers this request as well.
            assert_eq!(gateway.get("/health"), 200);
            slowest = slowest.max(started.elapsed());
            requests += 1;
        }
        assert_eq!(import.join().unwrap()["turns"], FILES * 9);
    });
    assert!(3 < requests, "{requests}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}
