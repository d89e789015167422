//! Requests over the control socket, executed by [`Echo`] instead of an engine.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    time::Duration,
};

use control::{
    Commands, Connection, ControlError, ControlRequest, ControlSocket, ErrorKind, LogTotals, RefreshPolicy, VERSION,
    serve,
};
use serde_json::{Value, json};
use tokio::{runtime::Runtime, sync::watch, task::JoinHandle};

/// Responds `done` to every request, but to `LogTotals` with an error, and to `RefreshPolicy` with `refreshed` after
/// 200 ms.
#[derive(Clone)]
struct Echo;

impl Commands for Echo {
    async fn execute(&self, request: ControlRequest) -> Result<Value, ControlError> {
        match request {
            ControlRequest::LogTotals(_) => Err(ControlError::invalid("no totals")),
            ControlRequest::RefreshPolicy(_) => {
                tokio::time::sleep(Duration::from_millis(200)).await;
                Ok(json!("refreshed"))
            }
            _ => Ok(json!("done")),
        }
    }
}

/// A running server of the control socket.
struct Server {
    /// The runtime of the server.
    runtime: Runtime,
    /// Stops the server when `true` is sent.
    stop: watch::Sender<bool>,
    /// The task of the server.
    task: JoinHandle<()>,
    /// The home folder with the socket.
    home: tempfile::TempDir,
}

impl Server {
    /// Starts a server in a new home folder.
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (stop, stopping) = watch::channel(false);
        let socket = runtime.block_on(async { ControlSocket::bind(home.path()).unwrap() });
        let task = runtime.spawn(serve(socket, Echo, stopping));
        Self { runtime, stop, task, home }
    }

    /// Connects to the server.
    fn connect(&self) -> Connection {
        Connection::open(self.home.path()).unwrap().unwrap()
    }

    /// Stops the server, waits for its end and returns its home folder.
    fn stop(self) -> tempfile::TempDir {
        self.stop.send_replace(true);
        self.runtime.block_on(self.task).unwrap();
        self.home
    }
}

/// Returns the path of the socket file in a home folder.
fn socket(home: &Path) -> std::path::PathBuf {
    home.join("run/control.sock")
}

/// Several requests are executed over one connection, also after an error, and the socket file is removed when the
/// server stops.
#[test]
fn a_connection_carries_any_number_of_requests() {
    let server = Server::start();
    let mut connection = server.connect();
    for _ in 0..3 {
        assert_eq!(connection.send(&RefreshPolicy {}.into()).unwrap(), "refreshed");
        let refused = connection.send(&LogTotals {}.into()).unwrap_err();
        assert_eq!((refused.kind, refused.message.as_str()), (ErrorKind::Invalid, "no totals"));
    }
    let home = server.stop();
    assert!(!socket(home.path()).exists());
}

#[test]
fn without_a_server_there_is_no_connection() {
    let home = tempfile::tempdir().unwrap();
    assert!(Connection::open(home.path()).unwrap().is_none());
    let nowhere = home.path().join("x".repeat(200));
    assert!(Connection::open(&nowhere).unwrap().is_none(), "a path too long for a socket");
    // A file without a listener, as a killed process leaves it.
    fs::create_dir(home.path().join("run")).unwrap();
    drop(UnixListener::bind(socket(home.path())).unwrap());
    assert!(Connection::open(home.path()).unwrap().is_none());
}

#[test]
fn a_request_that_is_being_executed_is_answered_before_the_server_ends() {
    let server = Server::start();
    let mut connection = server.connect();
    let sent = std::thread::spawn(move || (connection.send(&RefreshPolicy {}.into()), connection));
    std::thread::sleep(Duration::from_millis(100));
    let home = server.stop();
    let (response, mut connection) = sent.join().unwrap();
    assert_eq!(response.unwrap(), "refreshed");
    let closed = connection.send(&RefreshPolicy {}.into()).unwrap_err();
    assert!(closed.kind == ErrorKind::Failed && closed.message.contains("Run the command again"), "{closed}");
    assert!(Connection::open(home.path()).unwrap().is_none());
}

/// A connection without requests does not delay those of another connection.
#[test]
fn one_idle_connection_keeps_no_other_waiting() {
    let server = Server::start();
    let _idle = server.connect();
    assert_eq!(server.connect().send(&RefreshPolicy {}.into()).unwrap(), "refreshed");
}

/// Attack: more connections to the control socket than are served, each with an incomplete request.
/// Holds: they are closed after ten seconds, and commands are executed.
#[tokio::test(start_paused = true)]
async fn stalled_requests_give_way_to_commands() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
    let home = tempfile::tempdir().unwrap();
    let (_stop, stopping) = watch::channel(false);
    let server = tokio::spawn(serve(ControlSocket::bind(home.path()).unwrap(), Echo, stopping));
    let mut stalled = Vec::new();
    for _ in 0..40 {
        let mut stream = tokio::net::UnixStream::connect(socket(home.path())).await.unwrap();
        stream.write_all(b"{\"version\"").await.unwrap();
        stalled.push(stream);
    }
    let mut command = tokio::net::UnixStream::connect(socket(home.path())).await.unwrap();
    let request =
        format!("{}\n", json!({ "version": VERSION, "request": { "operation": "refresh_policy", "arguments": {} } }));
    command.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    tokio::io::BufReader::new(command).read_line(&mut response).await.unwrap();
    assert!(response.contains("refreshed"), "{response}");
    server.abort();
}

/// Starts a server that responds to one request with `response`.
fn fixed_response(home: &Path, response: String) -> std::thread::JoinHandle<()> {
    fs::create_dir(home.join("run")).unwrap();
    let listener = UnixListener::bind(socket(home)).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"version\":{VERSION}")), "{line}");
        writeln!(&stream, "{response}").unwrap();
    })
}

#[test]
fn a_response_of_another_version_is_refused_with_the_next_step() {
    let home = tempfile::tempdir().unwrap();
    let server = fixed_response(home.path(), json!({ "version": VERSION + 1, "response": "anything" }).to_string());
    let refused = Connection::open(home.path()).unwrap().unwrap().send(&RefreshPolicy {}.into()).unwrap_err();
    assert!(refused.message.contains("restart `turnwise serve`"), "{refused}");
    server.join().unwrap();
}

#[test]
fn an_unknown_operation_is_refused_and_the_connection_stays_open() {
    let server = Server::start();
    let mut stream = UnixStream::connect(socket(server.home.path())).unwrap();
    let mut responses = BufReader::new(stream.try_clone().unwrap()).lines();
    for request in [json!({ "operation": "of_the_future", "arguments": {} }), json!({ "operation": "log_totals" })] {
        writeln!(stream, "{}", json!({ "version": VERSION, "request": request })).unwrap();
        let response = responses.next().unwrap().unwrap();
        assert!(response.contains("not a request"), "{response}");
    }
    writeln!(stream, r#"{{"version":1,"request":{{"operation":"refresh_policy","arguments":{{}}}}}}"#).unwrap();
    assert!(responses.next().unwrap().unwrap().contains("refreshed"));
}
