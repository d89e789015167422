//! `load`: requests as fast as they are answered, and what they cost.
#![expect(clippy::print_stdout, reason = "a terminal program talks through its streams")]

mod agent;
mod bodies;
mod client;
mod figures;
mod process;
mod response;
mod run;
mod words;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Parser;

use bodies::{Kind, Request};

#[derive(Debug, Parser)]
#[command(about = "Puts load on a provider or a gateway and prints what it measured as one line of JSON.")]
struct Arguments {
    /// Such as `http://127.0.0.1:4000`, without a path.
    #[arg(long)]
    url: String,
    /// Kept alive, one request at a time on each.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// How long to measure.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Before it, how long to send without measuring.
    #[arg(long, default_value_t = 0.3)]
    warm_up: f64,
    /// Stop after so many requests, if that is earlier.
    #[arg(long)]
    requests: Option<u64>,
    /// What is sent.
    #[arg(long, value_enum, default_value_t = Kind::SmallChat)]
    body: Kind,
    /// A body to send instead, to the path of the kind; its first `%NUMBER%###` is made distinct.
    #[arg(long)]
    file: Option<PathBuf>,
    /// The model that is asked for.
    #[arg(long)]
    model: Option<String>,
    /// Another text of the user every time, so that each request is a turn of its own.
    #[arg(long)]
    distinct: bool,
    /// So many requests in a row of a connection are of one session, which a header names.
    #[arg(long)]
    turns: Option<u64>,
    /// The number of the first request: what is sent after another load is distinct from it.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The process whose time and memory are told.
    #[arg(long)]
    pid: Option<u32>,
    /// Further headers, as `name: value`.
    #[arg(long)]
    header: Vec<String>,
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<serde_json::Value, String> {
    let host =
        arguments.url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/')).filter(|host| !host.contains('/'));
    let Some(host) = host else {
        return Err(format!("`{}` is not of the form http://host:port", arguments.url));
    };
    let body = match &arguments.file {
        None => bodies::body(arguments.body, arguments.model.as_deref()),
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?
        }
    };
    let (distinct, turns) = (arguments.distinct, arguments.turns);
    let request = Request::new(arguments.body, host, &body, &arguments.header, distinct, turns);
    let plan = run::Plan {
        host: host.to_owned(),
        connections: arguments.connections,
        warm_up: Duration::try_from_secs_f64(arguments.warm_up).map_err(|error| error.to_string())?,
        measured: Duration::try_from_secs_f64(arguments.seconds).map_err(|error| error.to_string())?,
        first: arguments.first,
        requests: arguments.requests.unwrap_or(u64::MAX),
        pid: arguments.pid,
    };
    run::run(&plan, &request)
}
