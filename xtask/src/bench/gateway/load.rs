//! Runs the load generator and parses its figures.

use std::{path::Path, process::Command};

use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    program::{capture, shown},
    workspace,
};

/// Requests per session: the average of recorded sessions of Claude Code (2025 calls in 33 sessions).
pub(super) const TURNS: u64 = 60;

/// The parameters of one run of the load generator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) body: &'static str,
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    /// Seconds of load before the measurement starts.
    pub(crate) warm_up: f64,
    pub(crate) requests: Option<u64>,
    /// Consecutive requests of one session; `None` makes every request a session.
    pub(crate) turns: Option<u64>,
    /// The number of the first request. Loads with disjoint numbers never repeat a message.
    pub(crate) first: u64,
}

/// The figures of a load; times in microseconds.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Figures {
    pub(crate) requests: u64,
    errors: u64,
    first_error: Option<String>,
    pub(crate) rps: f64,
    #[serde(rename = "p50_us")]
    pub(crate) median: f64,
    #[serde(rename = "p99_us")]
    pub(crate) p99: f64,
    #[serde(rename = "first_byte_p50_us")]
    pub(crate) first_byte: f64,
    /// Processor time of the gateway per request.
    #[serde(rename = "cpu_us_per_request", default)]
    pub(crate) processor: f64,
    #[serde(rename = "rss_kb", default)]
    pub(crate) resident_kb: f64,
    #[serde(rename = "most_rss_kb", default)]
    pub(crate) most_resident_kb: f64,
}

impl Load {
    pub(crate) const fn of(body: &'static str, connections: usize) -> Self {
        Self { body, connections, seconds: 1.0, warm_up: 0.3, requests: None, turns: None, first: 0 }
    }

    /// Runs the load against an address; `pid` is the process whose processor time and memory are measured.
    ///
    /// # Errors
    /// If a single request fails.
    pub(crate) fn on(self, url: &str, pid: Option<&str>) -> Outcome<Figures> {
        self.with(url, pid, None)
    }

    /// Runs the load with a body from `file`.
    pub(crate) fn with(self, url: &str, pid: Option<&str>, file: Option<&Path>) -> Outcome<Figures> {
        let mut command = Command::new(workspace::release_binary("load"));
        command.args(["--url", url, "--body", self.body, "--distinct"]);
        command.args(["--connections", &self.connections.to_string(), "--seconds", &self.seconds.to_string()]);
        command.args(["--warm-up", &self.warm_up.to_string(), "--first", &self.first.to_string()]);
        if let Some(turns) = self.turns {
            command.args(["--turns", &turns.to_string()]);
        }
        if let Some(requests) = self.requests {
            command.args(["--requests", &requests.to_string()]);
        }
        if let Some(pid) = pid {
            command.args(["--pid", pid]);
        }
        if let Some(file) = file {
            command.arg("--file").arg(file);
        }
        println!("$ {}", shown(&command));
        let line = capture(&mut command)?;
        print!("{line}");
        let figures: Figures = serde_json::from_str(&line).map_err(|error| {
            Failure::new(format!("cannot parse the figures of the load generator: {error}: {}", line.trim()))
        })?;
        match figures {
            Figures { errors: 0, requests: 1.., .. } => Ok(figures),
            Figures { errors, requests, first_error, .. } => Err(Failure::new(format!(
                "{errors} of {} requests failed, first: {}",
                errors + requests,
                first_error.unwrap_or_default()
            ))),
        }
    }
}
