//! Starts the mock provider and a gateway in front of it. Each process is killed when its value is dropped.

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

/// The time limit for a program to start, and for it to end after an interrupt.
const TIMEOUT: Duration = Duration::from_secs(15);

/// A running server process, which is killed when the value is dropped.
pub(crate) struct RunningProgram {
    /// The name of the program in messages.
    name: &'static str,
    /// The process.
    child: Child,
    /// The URL on which it listens, for example `http://127.0.0.1:4000`.
    pub(crate) url: String,
    /// The time from its start until it printed its URL.
    pub(crate) ready_after: Duration,
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

/// Starts the mock provider on a free port with additional arguments.
pub(crate) fn start_mock(arguments: &[&str]) -> Outcome<RunningProgram> {
    let mut command = Command::new(workspace::release_binary("mock-upstream"));
    command.args(arguments);
    RunningProgram::start("mock-upstream", &mut command, |line| line.starts_with("http://").then(|| line.to_owned()))
}

/// A gateway in a temporary home, in front of a mock provider that records its requests.
pub(crate) struct Environment {
    /// The home of the gateway, which is removed when the value is dropped.
    pub(crate) home: TempDir,
    /// The mock provider.
    pub(crate) mock: RunningProgram,
    /// The gateway.
    pub(crate) gateway: RunningProgram,
}

/// Starts a mock provider, and a gateway with a policy in front of it. `skip_build` uses programs built earlier.
pub(crate) fn start_environment(policy: &str, skip_build: bool) -> Outcome<Environment> {
    if !skip_build {
        build(true)?;
    }
    let home = workspace::temporary_folder()?;
    workspace::write_file(&home.path().join("routing.yaml"), policy)?;
    let mock = start_mock(&["--keep"])?;
    let gateway = start_gateway(home.path(), &mock)?;
    Ok(Environment { home, mock, gateway })
}

/// Starts `turnwise serve` in a home, with the mock as every provider and a key for each, and waits until it listens.
/// Writes `gateway.yaml` unless the home has one, and the gateway's standard error to `gateway.stderr` in the home.
pub(crate) fn start_gateway(home: &Path, mock: &RunningProgram) -> Outcome<RunningProgram> {
    start_gateway_with_keys(home, mock, &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"])
}

/// Starts a gateway like [`start_gateway`], with only the keys in these environment variables.
pub(super) fn start_gateway_with_keys(home: &Path, mock: &RunningProgram, keys: &[&str]) -> Outcome<RunningProgram> {
    let config = home.join("gateway.yaml");
    if !config.exists() {
        let url = &mock.url;
        workspace::write_file(
            &config,
            &format!(
                "listen: 127.0.0.1:0\nproviders:\n  anthropic: {{ url: \"{url}\" }}\n  openai: {{ url: \"{url}/v1\", \
                 login_url: \"{url}/backend-api/codex\" }}\n  google: {{ url: \"{url}\" }}\n"
            ),
        )?;
    }
    let stderr_path = home.join("gateway.stderr");
    let stderr = File::create(&stderr_path).map_err(|error| Failure::file("create", &stderr_path, &error))?;
    let mut command = turnwise_command(home);
    command.args(["serve", "--json"]).stderr(stderr);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env_remove(key);
    }
    for key in keys {
        command.env(key, "key-of-the-mock");
    }
    let listening_address =
        |line: &str| Some(serde_json::from_str::<Value>(line).ok()?["listening"].as_str()?.to_owned());
    RunningProgram::start("turnwise serve", &mut command, listening_address).map_err(|failure| {
        let stderr = fs::read_to_string(&stderr_path).unwrap_or_default();
        Failure::new(format!("{failure}\n{stderr}"))
    })
}

/// Creates a `turnwise` command that uses the folder `home` as its home.
pub(crate) fn turnwise_command(home: &Path) -> Command {
    let mut command = Command::new(workspace::release_binary("turnwise"));
    command.env("TURNWISE_HOME", home).env_remove("TURNWISE_DATA_DIR").env("NO_COLOR", "1");
    command
}

impl RunningProgram {
    /// Starts a program and waits for the line of output from which `address` extracts its URL. Fails if there is none
    /// within [`TIMEOUT`].
    fn start(name: &'static str, command: &mut Command, address: impl Fn(&str) -> Option<String>) -> Outcome<Self> {
        let start = Instant::now();
        let spawn_result = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = spawn_result.map_err(|error| cannot_start(command, &error))?;
        let (sender, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // Keeps reading after the address: a full pipe would block the program.
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    let _ = sender.send(line);
                }
            });
        }
        let mut program = Self { name, child, url: String::new(), ready_after: Duration::ZERO };
        loop {
            let remaining_time = TIMEOUT.saturating_sub(start.elapsed());
            let line = lines
                .recv_timeout(remaining_time)
                .map_err(|_| Failure::new(format!("`{name}` printed no listening address")))?;
            if let Some(url) = address(line.trim()) {
                program.ready_after = start.elapsed();
                url.trim_end_matches('/').clone_into(&mut program.url);
                return Ok(program);
            }
        }
    }

    /// Returns the process id as text.
    pub(crate) fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Interrupts the server process (SIGINT) and waits until it ends.
    ///
    /// # Errors
    /// If it does not end within [`TIMEOUT`], or with an error status.
    pub(crate) fn stop(mut self) -> Outcome {
        let kill_status = Command::new("kill").args(["-INT", &self.pid()]).status();
        kill_status.map_err(|error| Failure::new(format!("cannot interrupt `{}`: {error}", self.name)))?;
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(Failure::new(format!("`{}` ended with {status}", self.name))),
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(Failure::new(format!("lost `{}`: {error}", self.name))),
            }
        }
        Err(Failure::new(format!("`{}` does not end when it is interrupted", self.name)))
    }

    /// Kills the process (SIGKILL) and waits until it has ended.
    pub(crate) fn kill(mut self) -> Outcome {
        let lost = |error: std::io::Error| Failure::new(format!("cannot kill `{}`: {error}", self.name));
        self.child.kill().map_err(lost)?;
        self.child.wait().map(drop).map_err(lost)
    }

    /// Sends a request to the program and parses the JSON response: a POST if there is a body, otherwise a GET. Fails
    /// for any status but 200.
    pub(crate) fn request_json(&self, path: &str, body: Option<&Value>) -> Outcome<Value> {
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

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // Both fail if the process has already ended, which `stop` reports.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
