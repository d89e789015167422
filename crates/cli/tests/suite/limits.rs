//! A gateway process at its limits: descriptors, connections, an unwritable standard error.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{desk::Desk, gateway::RunningGateway};

/// The limit of open files of the gateway.
const FILES: usize = 256;

/// More clients than the gateway has files.
const CLIENTS: usize = 300;

/// The first events of a streamed response of the Messages API.
const BEGINNING: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\
\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}\n\n";

/// The remaining events.
const ENDING: &str = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\
\"usage\":{\"output_tokens\":2}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/// A provider that begins each response, and completes it unless the request contains `hold`.
struct Provider {
    url: String,
    /// The number of responses that were begun.
    begun: Arc<AtomicUsize>,
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let begun = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&begun);
        std::thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"}") {
                    let mut chunk = [0; 4_096];
                    match stream.read(&mut chunk) {
                        Ok(0) | Err(_) => break,
                        Ok(bytes) => request.extend_from_slice(&chunk[..bytes]),
                    }
                }
                // The gateway may have closed the connection.
                let _ = stream.write_all(BEGINNING.as_bytes());
                count.fetch_add(1, Ordering::Relaxed);
                if request.windows(4).any(|word| word == b"hold") {
                    held.push(stream);
                } else {
                    let _ = stream.write_all(ENDING.as_bytes());
                }
            }
        });
        Self { url, begun }
    }

    /// Waits until the number of begun responses has not changed for half a second, and returns it.
    fn settled(&self) -> usize {
        let mut last = usize::MAX;
        loop {
            let now = self.begun.load(Ordering::Relaxed);
            if 0 < now && now == last {
                return now;
            }
            last = now;
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

/// Starts a gateway with at most `files` open files in front of a provider.
fn gateway(desk: &Desk, provider: &Provider, files: usize) -> RunningGateway {
    desk.write(
        ".turnwise/gateway.yaml",
        &format!("providers:\n  anthropic: {{url: '{}'}}\ntimeouts: {{retries: 0}}\n", provider.url),
    );
    desk.write(".turnwise/routing.yaml", "schema_version: 1\nglobal_default: sonnet\n");
    let program = desk.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    let mut limited = Command::new("/bin/sh");
    limited.args(["-c", &format!("ulimit -n {files}; exec \"$0\" \"$@\"")]);
    limited.arg(program.get_program()).args(program.get_args()).env_clear();
    limited.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.env("ANTHROPIC_API_KEY", "sk-of-the-gateway").current_dir(desk.path("."));
    RunningGateway::spawn(limited.stderr(Stdio::null()))
}

/// Sends a request for a stream and returns the connection.
fn ask(address: &str, message: &str) -> TcpStream {
    let body = format!(
        "{{\"model\":\"turnwise\",\"max_tokens\":9,\"stream\":true,\"messages\":[{{\"role\":\"user\",\"content\":\"{message}\"}}]}}"
    );
    let mut client = TcpStream::connect(address).unwrap();
    write!(
        client,
        "POST /v1/messages HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    client
}

/// Attack: more open streams than the process may open files, at limits of 256 and 1,024.
/// Holds: the log stays writable, and requests are answered when the streams end.
#[test]
fn more_streams_than_the_process_may_open_files_leave_the_log_writable() {
    for (files, clients) in [(FILES, CLIENTS), (1_024, 504)] {
        let (desk, provider) = (Desk::new(), Provider::start());
        let mut gateway = gateway(&desk, &provider, files);
        let clients: Vec<_> = (0..clients).map(|number| ask(&gateway.address, &format!("hold {number}"))).collect();
        let streams = provider.settled();
        assert!((files / 4 - 4..files / 2).contains(&streams), "{streams} streams at a limit of {files} files");
        drop(clients);
        let mut answer = String::new();
        ask(&gateway.address, "after all others").read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("message_stop"), "{answer}");
        assert_eq!(gateway.signal("-TERM"), Some(0));
        let verified = desk.run(&["--json", "events", "verify"]);
        assert_eq!(verified.code, 0, "{} {}", verified.out, verified.err);
    }
}

/// Attack: a policy that a program writes while the gateway starts.
/// Holds: the gateway waits for the complete file.
#[test]
fn a_policy_that_is_written_during_the_start_is_read_when_it_is_complete() {
    const RULES: usize = 12;
    let desk = Desk::new();
    let path = desk.write(".turnwise/routing.yaml", "schema_version: 1\nglobal_default: sonnet\nrules:\n");
    let writer = std::thread::spawn(move || {
        let mut file = File::options().append(true).open(path).unwrap();
        for number in 0..RULES {
            std::thread::sleep(Duration::from_millis(60));
            writeln!(file, "  - {{name: r{number}, when: {{message_matches: 'x{number}'}}, use: haiku}}").unwrap();
        }
    });
    let mut gateway = RunningGateway::start(&desk);
    assert!(writer.is_finished(), "the gateway waits for the writer");
    writer.join().unwrap();
    let status = gateway.json("/api/rules");
    assert_eq!(gateway.signal("-TERM"), Some(0));
    let events = desk.ok(&["events", "export"]);
    assert_eq!(events.matches("policy.loaded").count(), 1, "{status} {events}");
}

#[test]
fn sigterm_ends_a_gateway_at_its_limit_of_connections_within_five_seconds() {
    let (desk, provider) = (Desk::new(), Provider::start());
    let mut gateway = gateway(&desk, &provider, FILES);
    let clients: Vec<_> = (0..CLIENTS).map(|number| ask(&gateway.address, &format!("hold {number}"))).collect();
    provider.settled();
    let begun = Instant::now();
    assert_eq!(gateway.signal("-TERM"), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    drop(clients);
}

#[test]
fn sigterm_ends_a_gateway_with_a_stalled_request_within_five_seconds() {
    let (desk, provider) = (Desk::new(), Provider::start());
    let mut gateway = gateway(&desk, &provider, FILES);
    let mut stalled = TcpStream::connect(&gateway.address).unwrap();
    write!(stalled, "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: 900\r\n\r\n{{", gateway.address)
        .unwrap();
    let mut head_only = TcpStream::connect(&gateway.address).unwrap();
    write!(head_only, "POST /v1/mess").unwrap();
    assert_eq!(gateway.get("/health"), 200);
    let begun = Instant::now();
    assert_eq!(gateway.signal("-TERM"), Some(0));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

/// Warnings on a full device and a closed terminal have no effect on requests.
#[test]
fn a_gateway_continues_on_a_full_device_and_after_sighup() {
    let desk = Desk::new();
    for format in ["text", "json"] {
        let mut command = desk.command(&["--json", "-v", "serve", "--listen", "127.0.0.1:0", "--log-format", format]);
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut gateway = RunningGateway::spawn(command.stderr(full));
        gateway.send("-HUP");
        desk.write(".turnwise/routing.yaml", &format!("rulez: [{format}]\n"));
        let mut answer = String::new();
        ask(&gateway.address, "hello").read_to_string(&mut answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.1 5"),
            "no provider has a key: {answer}"
        );
        assert_eq!(gateway.get("/health"), 200, "{format}");
        assert_eq!(gateway.signal("-TERM"), Some(0), "{format}");
    }
}

/// The paths of a certificate refer to the folder of `gateway.yaml`, not to the working directory.
#[test]
fn the_files_of_tls_lie_beside_the_settings() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway/tests/tls");
    desk.write(".turnwise/gateway.yaml", "tls: {certificate: named.pem, key: named.key}\n");
    std::fs::copy(source.join("named.pem"), desk.path(".turnwise/named.pem")).unwrap();
    std::fs::copy(source.join("named.key"), desk.path(".turnwise/named.key")).unwrap();
    let mode = |mode| {
        std::fs::set_permissions(desk.path(".turnwise/named.key"), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o644);
    let refused = desk.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("named.key") && refused.err.contains("chmod 600"), "{}", refused.err);
    mode(0o600);
    let mut command = desk.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    let mut gateway = RunningGateway::spawn(command.stderr(Stdio::null()));
    let address = gateway.address.strip_prefix("https://").unwrap().to_owned();
    let mut plain = TcpStream::connect(address).unwrap();
    write!(plain, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut received = Vec::new();
    // The gateway may reset the connection.
    let _ = plain.read_to_end(&mut received);
    assert!(!received.starts_with(b"HTTP"), "{received:?}");
    assert_eq!(gateway.signal("-TERM"), Some(0));
}

#[test]
fn settings_out_of_range_and_refused_addresses_are_errors_at_the_start() {
    let desk = Desk::new();
    for (settings, problem) in [
        ("limits: {connections: 18446744073709551615}", "line 1"),
        ("limits: {connections: 0}", "from 1 to 1000000"),
        ("providers: {openai: {url: 'http://169.254.169.254/v1'}}", "allowed_addresses"),
        ("providers: {openai: {url: 'http://[::ffff:169.254.169.254]/v1'}}", "allowed_addresses"),
    ] {
        desk.write(".turnwise/gateway.yaml", &format!("{settings}\n"));
        let refused = desk.run(&["serve", "--listen", "127.0.0.1:0"]);
        assert_eq!(refused.code, 2, "{settings}: {}", refused.err);
        assert!(refused.err.contains(problem), "{settings}: {}", refused.err);
    }
}
