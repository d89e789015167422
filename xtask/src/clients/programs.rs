//! Starts the mock provider and a gateway in front of it; each process ends when its value is dropped.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    failure::{Failure, Outcome},
    program::{cannot_start, cargo, execute},
    workspace,
};

/// Time limit for a program to start, and for it to end after an interrupt.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A running server process.
pub(crate) struct Running {
    name: &'static str,
    child: Child,
    /// For example `http://127.0.0.1:4000`.
    pub(crate) url: String,
    /// Time from the start to its listening address.
    pub(crate) ready: Duration,
}

/// Builds the mock provider and the load generator, and turnwise if requested, in the release profile.
///
/// In separate commands: cargo would unify their features otherwise, and build turnwise again for `cargo run`.
pub(crate) fn build(with_turnwise: bool) -> Outcome {
    if with_turnwise {
        execute(&mut cargo(&["build", "--release", "--locked"]))?;
    }
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "mock-upstream"]))
}

/// Starts the mock provider on a free port.
pub(crate) fn mock(arguments: &[&str]) -> Outcome<Running> {
    let mut command = Command::new(workspace::release_binary("mock-upstream"));
    command.args(arguments);
    Running::start("mock-upstream", &mut command, |line| line.starts_with("http://").then(|| line.to_owned()))
}

/// A gateway in an empty home, in front of a mock provider that stores its requests.
pub(crate) struct Environment {
    pub(crate) home: TempDir,
    pub(crate) mock: Running,
    pub(crate) gateway: Running,
}

/// Starts an environment with a policy; `built` skips the build.
pub(crate) fn environment(policy: &str, built: bool) -> Outcome<Environment> {
    if !built {
        build(true)?;
    }
    let home = workspace::temporary()?;
    workspace::write(&home.path().join("routing.yaml"), policy)?;
    let mock = mock(&["--keep"])?;
    let gateway = gateway(home.path(), &mock)?;
    Ok(Environment { home, mock, gateway })
}

/// Starts `turnwise serve` in a home, with the mock as every provider.
pub(crate) fn gateway(home: &Path, mock: &Running) -> Outcome<Running> {
    let config = home.join("gateway.yaml");
    if !config.exists() {
        let at = &mock.url;
        workspace::write(
            &config,
            &format!(
                "listen: 127.0.0.1:0\nproviders:\n  anthropic: {{ url: \"{at}\" }}\n  openai: {{ url: \"{at}/v1\" }}\n  \
                 google: {{ url: \"{at}\" }}\n"
            ),
        )?;
    }
    let stderr_path = home.join("gateway.stderr");
    let stderr = File::create(&stderr_path).map_err(|error| Failure::file("create", &stderr_path, &error))?;
    let mut command = turnwise(home);
    command.args(["serve", "--json"]).stderr(stderr);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env(key, "key-of-the-mock");
    }
    let listening = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?["listening"].as_str()?.to_owned());
    Running::start("turnwise serve", &mut command, listening).map_err(|failure| {
        let stderr = fs::read_to_string(&stderr_path).unwrap_or_default();
        Failure::new(format!("{failure}\n{stderr}"))
    })
}

/// The command `turnwise` with a home.
pub(crate) fn turnwise(home: &Path) -> Command {
    let mut command = Command::new(workspace::release_binary("turnwise"));
    command.env("TURNWISE_HOME", home).env_remove("TURNWISE_DATA_DIR").env("NO_COLOR", "1");
    command
}

impl Running {
    /// Starts a program and waits for the line from which `address` extracts its URL.
    fn start(name: &'static str, command: &mut Command, address: impl Fn(&str) -> Option<String>) -> Outcome<Self> {
        let begun = Instant::now();
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| cannot_start(command, &error))?;
        let (send, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // Keeps reading after the address: a full pipe would block the program.
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    let _ = send.send(line);
                }
            });
        }
        let mut running = Self { name, child, url: String::new(), ready: Duration::ZERO };
        loop {
            let left = TIMEOUT.saturating_sub(begun.elapsed());
            let line =
                lines.recv_timeout(left).map_err(|_| Failure::new(format!("`{name}` printed no listening address")))?;
            if let Some(url) = address(line.trim()) {
                running.ready = begun.elapsed();
                url.trim_end_matches('/').clone_into(&mut running.url);
                return Ok(running);
            }
        }
    }

    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Interrupts the process (SIGINT) and waits for it.
    ///
    /// # Errors
    /// If it does not end in time, or with an error status.
    pub(crate) fn stop(mut self) -> Outcome {
        let interrupted = Command::new("kill").args(["-INT", &self.pid()]).status();
        interrupted.map_err(|error| Failure::new(format!("cannot interrupt `{}`: {error}", self.name)))?;
        let begun = Instant::now();
        while begun.elapsed() < TIMEOUT {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(Failure::new(format!("`{}` ended with {status}", self.name))),
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(Failure::new(format!("lost `{}`: {error}", self.name))),
            }
        }
        Err(Failure::new(format!("`{}` does not end when it is interrupted", self.name)))
    }

    /// Kills the process (SIGKILL).
    pub(crate) fn kill(mut self) -> Outcome {
        let lost = |error: std::io::Error| Failure::new(format!("cannot kill `{}`: {error}", self.name));
        self.child.kill().map_err(lost)?;
        self.child.wait().map(drop).map_err(lost)
    }

    /// Sends a request and parses the JSON response: a GET, or a POST if there is a body.
    pub(crate) fn ask(&self, path: &str, body: Option<&Value>) -> Outcome<Value> {
        let fail = |error: &dyn std::fmt::Display| {
            Failure::new(format!("request for `{path}` to `{}` failed: {error}", self.name))
        };
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).map_err(|error| fail(&error))?;
        let (method, body) = body.map_or(("GET", String::new()), |body| ("POST", body.to_string()));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(|error| fail(&error))?;
        let mut response = String::new();
        stream.read_to_string(&mut response).map_err(|error| fail(&error))?;
        let (head, body) = response.split_once("\r\n\r\n").ok_or_else(|| fail(&"no response"))?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(fail(&head.lines().next().unwrap_or_default()));
        }
        serde_json::from_str(body).map_err(|error| fail(&error))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail if the process has already ended, which `stop` reports.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
