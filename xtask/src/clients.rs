//! Real clients through the gateway: Claude Code and Codex, installed from npm, each in turns that use tools.

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

/// Every client gets the model that it asks for, unless a rule or the message says otherwise.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// What the clients were asked, and what came of it.
struct Session {
    /// As the client tells it.
    id: String,
    /// What it said last.
    said: String,
}

/// Where a client runs: a home and a project of its own, and the gateway.
struct Place<'a> {
    home: &'a Path,
    project: &'a Path,
    url: &'a str,
}

/// Runs the clients whose name holds a text.
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
        let said = through(name, &client, &folder.path().join(name))?;
        println!("clients: {name} ok, {:.1} s", begun.elapsed().as_secs_f64());
        notes.push(format!("{name}: {said}"));
    }
    Ok(Passed::noting(notes.join("; ")))
}

/// Runs one client through a gateway of its own, and looks at the log afterwards.
fn through(name: &str, client: &Path, folder: &Path) -> Outcome<String> {
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
        Err(failure) => return Err(Failure::new(format!("{failure}{}", told(&home, &mock)))),
    };
    let answered = answered(&mock)?;
    gateway.stop()?;
    let checked = Log::exported(&home).and_then(|log| log.check(&expected, answered));
    let said = checked.map_err(|failure| Failure::new(format!("{name}: {failure}{}", told(&home, &mock))))?;
    println!("clients: {name}: {said}");
    Ok(said)
}

/// What the log must hold.
#[derive(Debug, Default)]
struct Expected {
    /// Sessions by the client's names of them.
    sessions: Vec<String>,
    /// Turns of the main lines, titles and the like not counted.
    turns: usize,
    /// Tools that were called, on the main lines and in sub-agents.
    tools: Vec<&'static str>,
    /// Models that must have answered.
    models: Vec<&'static str>,
    /// Whether a sub-agent worked.
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

/// Fails unless a client said what it should.
fn said(session: &Session, what: &str, expected: impl Fn(&str) -> bool) -> Outcome {
    if expected(&session.said) {
        return Ok(());
    }
    Err(Failure::new(format!("{what}: the client said {:?}", session.said)))
}

/// How many answers the mock gave.
fn answered(mock: &Running) -> Outcome<usize> {
    let requests = mock.ask("/control/requests", None)?;
    let answers = requests.as_array().into_iter().flatten().filter(|request| is_answer(request));
    Ok(answers.count())
}

fn is_answer(request: &Value) -> bool {
    let path = request["path"].as_str().unwrap_or_default();
    request["method"] == "POST" && request["status"] == 200 && !path.contains("count_tokens")
}

/// The bodies of the requests that the mock answered, the oldest first.
fn bodies(mock: &Running) -> Outcome<Vec<String>> {
    let requests = mock.ask("/control/requests", None)?;
    let answers = requests.as_array().into_iter().flatten().filter(|request| is_answer(request));
    Ok(answers.filter_map(|request| request["body"].as_str().map(str::to_owned)).collect())
}

/// What helps to find out why it failed: the requests as they reached the mock, and what the gateway complained of.
fn told(home: &Path, mock: &Running) -> String {
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

/// A client in its own home and without the settings of whoever runs this, in the project.
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

/// Runs a client, and returns what it printed.
fn run_client(command: &mut Command) -> Outcome<String> {
    println!("$ {}", program::shown(command));
    let output = command.output().map_err(|error| program::cannot_start(command, &error))?;
    let [text, complaints] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if output.status.success() {
        return Ok(text);
    }
    Err(Failure::new(format!("the client failed: {}\n{text}\n{complaints}", output.status)))
}
