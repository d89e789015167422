//! `load`: sends requests to a server, on each connection one after the other without pause, and measures latency and
//! processor time.
#![expect(clippy::print_stdout, reason = "a terminal program talks through its streams")]

mod agent;
mod bodies;
mod client;
mod measurements;
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
    /// The server, such as `http://127.0.0.1:4000`, without a path.
    #[arg(long)]
    url: String,
    /// Connections, kept alive, with one request at a time.
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// Duration of the measurement.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Duration of the warm-up before the measurement.
    #[arg(long, default_value_t = 0.3)]
    warm_up: f64,
    /// Stop after this number of requests, if that is earlier.
    #[arg(long)]
    requests: Option<u64>,
    /// The kind of request.
    #[arg(long, value_enum, default_value_t = Kind::SmallChat)]
    body: Kind,
    /// A body to send instead, to the path of the kind; its first `%NUMBER%###` is made distinct.
    #[arg(long)]
    file: Option<PathBuf>,
    /// The requested model.
    #[arg(long)]
    model: Option<String>,
    /// Send a different message in every request, so that each is a separate turn.
    #[arg(long)]
    distinct: bool,
    /// Number of successive requests of a connection that belong to one session; a header names it.
    #[arg(long)]
    turns: Option<u64>,
    /// Number of the first request: requests of a later run are distinct from those of an earlier one.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The process whose processor time and memory to report.
    #[arg(long)]
    pid: Option<u32>,
    /// Additional headers, as `name: value`.
    #[arg(long)]
    header: Vec<String>,
}

/// Runs the load test and prints its report, or the error, as one line.
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

/// Runs the load test that the arguments describe and returns its report.
///
/// # Errors
/// A message if an argument is invalid, the file cannot be read, or the test cannot be started.
fn measure(arguments: &Arguments) -> Result<serde_json::Value, String> {
    let host =
        arguments.url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/')).filter(|host| !host.contains('/'));
    let Some(host) = host else {
        return Err(format!("`{}` is not of the form http://host:port", arguments.url));
    };
    let body = match &arguments.file {
        None => bodies::request_body(arguments.body, arguments.model.as_deref()),
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
        first_number: arguments.first,
        max_requests: arguments.requests.unwrap_or(u64::MAX),
        pid: arguments.pid,
    };
    run::run(&plan, &request)
}
