//! Runs coding agents, installed from npm and the Python package index, through the gateway in turns that use tools.
//!
//! `installed` installs the clients, `programs` starts the mock provider and the gateway, `claude_code`, `codex` and, for all
//! clients but Codex, `scenario` run the turns, `skill_hook` those with the hook of turnwise, `log` checks the events recorded,
//! and `imported` compares them with the session files.

mod claude_code;
mod codex;
pub(crate) mod first_messages;
mod imported;
pub(crate) mod installed;
pub(crate) mod log;
mod logins;
mod other;
pub(crate) mod programs;
mod scenario;
mod skill_hook;

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use serde_json::Value;

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program, workspace,
};
use log::Log;
use programs::RunningProgram;

/// A policy by which requested models are used, unless a rule or a mention in the message selects another.
const POLICY: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: default }\n";

/// A policy with one model for every turn, so that nothing is left when it fails.
const ONE_MODEL: &str = "schema_version: 1\nglobal_default: sonnet\ngateway: { client_model: auto }\n";

/// The session of a client after one message: its id and the last message of the model.
struct Session {
    /// The client's session id.
    id: String,
    /// The last message of the model.
    last_message: String,
}

/// The folders of a client and the URL of the gateway.
struct ClientEnvironment<'a> {
    /// The home folder of the client.
    home: &'a Path,
    /// The working folder of the client.
    project: &'a Path,
    /// The URL of the gateway.
    url: &'a str,
}

/// Installs the clients whose name contains `only` and runs each through its own gateway. `skip_build` uses programs
/// built earlier. Clients that cannot be installed are skipped and named in the note.
pub(crate) fn run(only: &str, skip_build: bool) -> Outcome<Passed> {
    let cache = workspace::target_folder().join("clients");
    let installed::InstalledClients { clients, skip_notes: mut notes } =
        installed::install_clients(&cache, |name| name.contains(only))?;
    if clients.is_empty() {
        return Ok(Passed::with_note(notes.join("; ")));
    }
    if !skip_build {
        programs::build(true)?;
    }
    let folder = workspace::temporary_folder()?;
    for (name, client) in clients {
        let start = Instant::now();
        let summary = run_all_turns(name, &client, &folder.path().join(name))?;
        println!("clients: {name} ok, {:.1} s", start.elapsed().as_secs_f64());
        notes.push(format!("{name}: {summary}"));
    }
    Ok(Passed::with_note(notes.join("; ")))
}

/// Runs all turns of one client and returns a summary. `folder` receives the homes of the gateways and of the client.
fn run_all_turns(name: &str, client: &Path, folder: &Path) -> Outcome<String> {
    let mut summaries = Vec::new();
    if matches!(name, "claude" | "codex") {
        summaries.push(run_through_gateway(name, client, &folder.join("own"), false)?);
    }
    // Codex sends tools that only models of OpenAI support, and the rules of the scenario name others.
    if name != "codex" {
        summaries.push(run_through_gateway(name, client, &folder.join("scenario"), true)?);
    }
    if name == "claude" {
        // With one model the client receives the error of the provider and repeats the request, until the failures are an
        // outage, whose error is final.
        for (models, policy, expected) in
            [("two models", POLICY, "no model answered"), ("one model", ONE_MODEL, "No model available")]
        {
            let [home, project, client_home] = create_folders(&folder.join("refused").join(models))?;
            workspace::write_file(&home.join("routing.yaml"), policy)?;
            let mock = programs::start_mock(&[])?;
            let gateway = programs::start_gateway(&home, &mock)?;
            let environment = ClientEnvironment { home: &client_home, project: &project, url: &gateway.url };
            let summary = claude_code::run_refused(client, &environment, &mock, (models, expected))?;
            gateway.stop()?;
            println!("clients: {name}: {summary}");
            summaries.push(summary);
        }
    }
    if name == "claude" {
        summaries.push(skill_hook::run(client, &folder.join("skill-hook"))?);
    }
    if matches!(name, "claude" | "codex") {
        summaries.push(logins::run(name, client, &folder.join("login"))?);
    }
    Ok(summaries.join("; "))
}

/// Creates the home folder of a gateway, a project, and the home folder of a client.
fn create_folders(folder: &Path) -> Outcome<[PathBuf; 3]> {
    let folders = ["turnwise", "project", "home"].map(|name| folder.join(name));
    for folder in &folders {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    }
    Ok(folders)
}

/// Runs one client through a gateway of its own, and checks the gateway's log afterwards: with the turns of `scenario`, or
/// with those of its own module. Returns a summary; a failure includes the requests and the gateway's output.
fn run_through_gateway(name: &str, client: &Path, folder: &Path, is_scenario: bool) -> Outcome<String> {
    let [home, project, client_home] = create_folders(folder)?;
    workspace::write_file(&home.join("routing.yaml"), if is_scenario { scenario::POLICY } else { POLICY })?;
    let mock = programs::start_mock(&["--keep"])?;
    let gateway = programs::start_gateway(&home, &mock)?;
    let environment = ClientEnvironment { home: &client_home, project: &project, url: &gateway.url };
    let stage = scenario::Stage { gateway: &gateway, mock: &mock, home: &home };
    let result = match name {
        _ if is_scenario => other::driver(name, client, &environment).and_then(|driver| scenario::run(&driver, &stage)),
        "claude" => claude_code::run(client, &environment, &mock),
        _ => codex::run(client, &environment, &mock),
    };
    let expected_log = match result {
        Ok(expected_log) => expected_log,
        Err(failure) => return Err(Failure::new(format!("{failure}{}", diagnosis(&home, &mock)))),
    };
    let response_count = count_responses(&mock)?;
    gateway.stop()?;
    let check_result = Log::export(&home).and_then(|log| {
        let summary = log.check(&expected_log, response_count)?;
        // A scenario has refused and interrupted turns, of which session files show less.
        let import_summary =
            if is_scenario { None } else { imported::compare_with_import(name, &log, &home, &client_home)? };
        Ok(import_summary.map_or(summary.clone(), |import_summary| format!("{summary}; {import_summary}")))
    });
    let summary =
        check_result.map_err(|failure| Failure::new(format!("{name}: {failure}{}", diagnosis(&home, &mock))))?;
    println!("clients: {name}: {summary}");
    Ok(summary)
}

/// The expected content of the gateway's log after the turns of a client.
#[derive(Debug, Default)]
struct ExpectedLog {
    /// The client's session ids.
    sessions: Vec<String>,
    /// The number of turns of the main conversations, without auxiliary calls.
    turns: usize,
    /// The names of all tools called, by main conversations and by sub-agents.
    tools: Vec<&'static str>,
    /// The models that must have been used.
    models: Vec<&'static str>,
    /// Whether a sub-agent must have been started.
    sub_agent: bool,
    /// The number of calls that the client interrupted.
    interrupted: usize,
}

impl ExpectedLog {
    /// Adds a turn of a session to the expected content; adds the session too if it is new.
    fn add(&mut self, session: &Session) {
        if !self.sessions.contains(&session.id) {
            self.sessions.push(session.id.clone());
        }
        self.turns += 1;
    }
}

/// Fails unless `expected` accepts the last message of a session; `what` names the turn in the error.
fn check_message(session: &Session, what: &str, expected: impl Fn(&str) -> bool) -> Outcome {
    if expected(&session.last_message) {
        return Ok(());
    }
    Err(Failure::new(format!("{what}: the last message is {:?}", session.last_message)))
}

/// Returns the number of successful responses of the mock provider to requests for a model.
fn count_responses(mock: &RunningProgram) -> Outcome<usize> {
    let requests = mock.request_json("/control/requests", None)?;
    let responses = requests.as_array().into_iter().flatten().filter(|request| is_answered(request));
    Ok(responses.count())
}

/// Returns whether a request that the mock provider received is for a response of a model and was answered completely,
/// with status 200.
fn is_answered(request: &Value) -> bool {
    let path = request["path"].as_str().unwrap_or_default();
    let is_complete = request["status"] == 200 && request["ended"] == "complete";
    request["method"] == "POST" && is_complete && !path.contains("count_tokens")
}

/// Returns the bodies of the requests that the mock provider answered, oldest first.
fn answered_bodies(mock: &RunningProgram) -> Outcome<Vec<String>> {
    let requests = mock.request_json("/control/requests", None)?;
    let responses = requests.as_array().into_iter().flatten().filter(|request| is_answered(request));
    Ok(responses.filter_map(|request| request["body"].as_str().map(str::to_owned)).collect())
}

/// Describes the context of a failed check: the requests that reached the mock provider, and the standard error of the
/// gateway.
fn diagnosis(home: &Path, mock: &RunningProgram) -> String {
    let requests = mock.request_json("/control/requests", None).unwrap_or_default();
    let mut lines = vec!["\nrequests at the mock:".to_owned()];
    for request in requests.as_array().into_iter().flatten() {
        let body: Value = request["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        let [method, path] = ["method", "path"].map(|name| request[name].as_str().unwrap_or_default());
        lines.push(format!("  {method} {path} {} {}, {}", body["model"], request["status"], request["ended"]));
    }
    lines.push(std::fs::read_to_string(home.join("gateway.stderr")).unwrap_or_default());
    lines.join("\n")
}

/// Creates the command of a client in its project folder, without environment variables that configure the calling
/// user's clients.
fn client_command(client: &Path, environment: &ClientEnvironment<'_>) -> Command {
    let mut command = Command::new(client);
    for (name, _) in std::env::vars_os() {
        let foreign =
            ["ANTHROPIC_", "CLAUDE", "CODEX_", "OPENAI_", "TURNWISE_", "GEMINI_", "GOOGLE_", "OPENCODE", "AIDER_"];
        if foreign.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    // opencode takes its working folder from PWD.
    command.current_dir(environment.project).env("PWD", environment.project).env("HOME", environment.home);
    command.stdin(std::process::Stdio::null());
    command
}

/// Runs a client and returns its standard output; fails unless it exits successfully.
fn run_client(command: &mut Command) -> Outcome<String> {
    println!("$ {}", program::display_command(command));
    let output = command.output().map_err(|error| program::cannot_start(command, &error))?;
    let [text, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if output.status.success() {
        return Ok(text);
    }
    Err(Failure::new(format!("the client failed: {}\n{text}\n{stderr}", output.status)))
}
