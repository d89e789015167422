//! A mock provider and a gateway before it, as programs that end with the value that stands for them.

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

/// For a program to say that it is ready, and for it to end in order.
const PATIENCE: Duration = Duration::from_secs(15);

/// A program that serves on an address of this machine.
pub(crate) struct Running {
    name: &'static str,
    child: Child,
    /// Such as `http://127.0.0.1:4000`.
    pub(crate) url: String,
    /// From starting it to its saying where it listens.
    pub(crate) ready: Duration,
}

/// Builds the mock and the load, and turnwise where it is asked for, optimised.
///
/// One after the other: together they would be built with features of both, and turnwise again for `cargo run`.
pub(crate) fn build(with_turnwise: bool) -> Outcome {
    if with_turnwise {
        execute(&mut cargo(&["build", "--release", "--locked"]))?;
    }
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "mock-upstream"]))
}

/// The mock provider on any free port.
pub(crate) fn mock(arguments: &[&str]) -> Outcome<Running> {
    let mut command = Command::new(workspace::release_binary("mock-upstream"));
    command.args(arguments);
    Running::start("mock-upstream", &mut command, |line| line.starts_with("http://").then(|| line.to_owned()))
}

/// A gateway in a home of its own, before a mock that keeps what it gets.
pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) mock: Running,
    pub(crate) gateway: Running,
}

/// A gateway under a policy, built first unless it was before.
pub(crate) fn under(policy: &str, built: bool) -> Outcome<World> {
    if !built {
        build(true)?;
    }
    let home = workspace::temporary()?;
    workspace::write(&home.path().join("routing.yaml"), policy)?;
    let mock = mock(&["--keep"])?;
    let gateway = gateway(home.path(), &mock)?;
    Ok(World { home, mock, gateway })
}

/// `turnwise serve` in a home whose providers are the mock, with further environment variables.
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
    let said = home.join("gateway.stderr");
    let complaints = File::create(&said).map_err(|error| Failure::file("create", &said, &error))?;
    let mut command = turnwise(home);
    command.args(["serve", "--json"]).stderr(complaints);
    for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        command.env(key, "key-of-the-mock");
    }
    let listening = |line: &str| Some(serde_json::from_str::<Value>(line).ok()?["listening"].as_str()?.to_owned());
    Running::start("turnwise serve", &mut command, listening).map_err(|failure| {
        let complaints = fs::read_to_string(&said).unwrap_or_default();
        Failure::new(format!("{failure}\n{complaints}"))
    })
}

/// `turnwise` in a home of its own.
pub(crate) fn turnwise(home: &Path) -> Command {
    let mut command = Command::new(workspace::release_binary("turnwise"));
    command.env("TURNWISE_HOME", home).env_remove("TURNWISE_DATA_DIR").env("NO_COLOR", "1");
    command
}

impl Running {
    /// Starts a program and waits for the line that says where it listens.
    fn start(name: &'static str, command: &mut Command, address: impl Fn(&str) -> Option<String>) -> Outcome<Self> {
        let begun = Instant::now();
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| cannot_start(command, &error))?;
        let (send, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            // Reads on after the address: a full pipe would stop the program.
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    let _ = send.send(line);
                }
            });
        }
        let mut running = Self { name, child, url: String::new(), ready: Duration::ZERO };
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let line =
                lines.recv_timeout(left).map_err(|_| Failure::new(format!("`{name}` never said where it listens")))?;
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

    /// Interrupts it and waits for its end, which must be in order.
    pub(crate) fn stop(mut self) -> Outcome {
        let asked = Command::new("kill").args(["-INT", &self.pid()]).status();
        asked.map_err(|error| Failure::new(format!("cannot interrupt `{}`: {error}", self.name)))?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(Failure::new(format!("`{}` ended with {status}", self.name))),
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(error) => return Err(Failure::new(format!("lost `{}`: {error}", self.name))),
            }
        }
        Err(Failure::new(format!("`{}` does not end when it is interrupted", self.name)))
    }

    /// Ends it at once, without a chance to put anything in order (SIGKILL).
    pub(crate) fn kill(mut self) -> Outcome {
        let lost = |error: std::io::Error| Failure::new(format!("cannot kill `{}`: {error}", self.name));
        self.child.kill().map_err(lost)?;
        self.child.wait().map(drop).map_err(lost)
    }

    /// Asks it for JSON over HTTP; a body makes it a POST.
    pub(crate) fn ask(&self, path: &str, body: Option<&Value>) -> Outcome<Value> {
        let fail =
            |error: &dyn std::fmt::Display| Failure::new(format!("cannot ask `{}` for `{path}`: {error}", self.name));
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).map_err(|error| fail(&error))?;
        let (method, body) = body.map_or(("GET", String::new()), |body| ("POST", body.to_string()));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).map_err(|error| fail(&error))?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(|error| fail(&error))?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| fail(&"no answer"))?;
        if !head.starts_with("HTTP/1.1 200") {
            return Err(fail(&head.lines().next().unwrap_or_default()));
        }
        serde_json::from_str(body).map_err(|error| fail(&error))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which `stop` tells.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
