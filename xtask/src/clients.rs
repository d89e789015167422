//! Runs Claude Code and Codex, installed from npm, through the gateway in turns that use tools.

mod claude_code;
mod codex;
pub(crate) mod installed;
pub(crate) mod log;
pub(crate) mod programs;

use std::{path::Path, process::Command, time::Instant};

use serde_json::Value;

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program, workspace,
};
use log::Log;
use programs::Running;

/// Requested models are used, unless a rule or the message names another.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// One run of a client.
struct Session {
    /// The session id that the client printed.
    id: String,
    /// Its last message.
    last_message: String,
}

/// The surroundings of a client's run: its home, its project folder, and the URL of the gateway.
struct Place<'a> {
    home: &'a Path,
    project: &'a Path,
    url: &'a str,
}

/// Runs the clients whose name contains `only`; `built` skips the build.
pub(crate) fn run(only: &str, built: bool) -> Outcome<Passed> {
    let cache = workspace::target().join("clients");
    let installed::Found { mut clients, mut notes } = installed::clients(&cache)?;
    clients.retain(|(name, _)| name.contains(only));
    if clients.is_empty() {
        return Ok(Passed::noting(notes.join("; ")));
    }
    if !built {
        programs::build(true)?;
    }
    let folder = workspace::temporary()?;
    for (name, client) in clients {
        let begun = Instant::now();
        let summary = run_through_gateway(name, &client, &folder.path().join(name))?;
        println!("clients: {name} ok, {:.1} s", begun.elapsed().as_secs_f64());
        notes.push(format!("{name}: {summary}"));
    }
    Ok(Passed::noting(notes.join("; ")))
}

/// Runs one client through a gateway of its own and checks the log afterwards. Returns a summary.
fn run_through_gateway(name: &str, client: &Path, folder: &Path) -> Outcome<String> {
    let [home, project, own] = ["turnwise", "project", "home"].map(|name| folder.join(name));
    for folder in [&home, &project, &own] {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    }
    workspace::write(&home.join("routing.yaml"), POLICY)?;
    let mock = programs::mock(&["--keep"])?;
    let gateway = programs::gateway(&home, &mock)?;
    let place = Place { home: &own, project: &project, url: &gateway.url };
    let done = match name {
        "claude" => claude_code::run(client, &place, &mock),
        _ => codex::run(client, &place, &mock),
    };
    let expected = match done {
        Ok(expected) => expected,
        Err(failure) => return Err(Failure::new(format!("{failure}{}", diagnosis(&home, &mock)))),
    };
    let answered = count_responses(&mock)?;
    gateway.stop()?;
    let checked = Log::exported(&home).and_then(|log| log.check(&expected, answered));
    let summary = checked.map_err(|failure| Failure::new(format!("{name}: {failure}{}", diagnosis(&home, &mock))))?;
    println!("clients: {name}: {summary}");
    Ok(summary)
}

/// The expected content of the log.
#[derive(Debug, Default)]
struct Expected {
    /// Session ids of the client.
    sessions: Vec<String>,
    /// Number of turns of the main conversations, without auxiliary calls.
    turns: usize,
    /// Tools called, by the main conversations and by sub-agents.
    tools: Vec<&'static str>,
    /// Models that must have been used.
    models: Vec<&'static str>,
    /// Whether a sub-agent was started.
    sub_agent: bool,
}

impl Expected {
    fn add(&mut self, session: &Session) {
        if !self.sessions.contains(&session.id) {
            self.sessions.push(session.id.clone());
        }
        self.turns += 1;
    }
}

/// Fails unless the last message of a client is as expected.
fn check_message(session: &Session, what: &str, expected: impl Fn(&str) -> bool) -> Outcome {
    if expected(&session.last_message) {
        return Ok(());
    }
    Err(Failure::new(format!("{what}: the last message is {:?}", session.last_message)))
}

/// Counts the successful responses of the mock provider.
fn count_responses(mock: &Running) -> Outcome<usize> {
    let requests = mock.ask("/control/requests", None)?;
    let responses = requests.as_array().into_iter().flatten().filter(|request| is_answered(request));
    Ok(responses.count())
}

fn is_answered(request: &Value) -> bool {
    let path = request["path"].as_str().unwrap_or_default();
    request["method"] == "POST" && request["status"] == 200 && !path.contains("count_tokens")
}

/// Bodies of the requests that the mock provider answered, oldest first.
fn bodies(mock: &Running) -> Outcome<Vec<String>> {
    let requests = mock.ask("/control/requests", None)?;
    let responses = requests.as_array().into_iter().flatten().filter(|request| is_answered(request));
    Ok(responses.filter_map(|request| request["body"].as_str().map(str::to_owned)).collect())
}

/// Context of a failure: the requests that reached the mock provider, and the standard error of the gateway.
fn diagnosis(home: &Path, mock: &Running) -> String {
    let requests = mock.ask("/control/requests", None).unwrap_or_default();
    let mut lines = vec!["\nrequests at the mock:".to_owned()];
    for request in requests.as_array().into_iter().flatten() {
        let body: Value = request["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        let [method, path] = ["method", "path"].map(|name| request[name].as_str().unwrap_or_default());
        lines.push(format!("  {method} {path} {} {}, {}", body["model"], request["status"], request["ended"]));
    }
    lines.push(std::fs::read_to_string(home.join("gateway.stderr")).unwrap_or_default());
    lines.join("\n")
}

/// The command of a client in its project folder, without the settings of the calling user.
fn command(client: &Path, place: &Place<'_>) -> Command {
    let mut command = Command::new(client);
    for (name, _) in std::env::vars_os() {
        let foreign = ["ANTHROPIC_", "CLAUDE", "CODEX_", "OPENAI_", "TURNWISE_"];
        if foreign.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.current_dir(place.project).env("HOME", place.home).stdin(std::process::Stdio::null());
    command
}

/// Runs a client and returns its standard output; fails with its output if it exits with an error.
fn run_client(command: &mut Command) -> Outcome<String> {
    println!("$ {}", program::shown(command));
    let output = command.output().map_err(|error| program::cannot_start(command, &error))?;
    let [text, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if output.status.success() {
        return Ok(text);
    }
    Err(Failure::new(format!("the client failed: {}\n{text}\n{stderr}", output.status)))
}
