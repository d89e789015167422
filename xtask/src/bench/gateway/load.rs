//! Running the load generator, and reading what it measured.

use std::{path::Path, process::Command};

use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    program::{capture, shown},
    workspace,
};

/// How many requests a session has: recorded ones of Claude Code have sixty on average (2025 calls in 33 sessions).
pub(super) const TURNS: u64 = 60;

/// One load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub(crate) body: &'static str,
    pub(crate) connections: usize,
    pub(crate) seconds: f64,
    /// Seconds before it that are not measured.
    pub(crate) warm_up: f64,
    pub(crate) requests: Option<u64>,
    /// How many requests in a row are of one session; without, each is of its own.
    pub(crate) turns: Option<u64>,
    /// The number of the first request: no load is to repeat what another one said.
    pub(crate) first: u64,
}

/// What was measured; times in microseconds.
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
    /// Of the gateway, for each request.
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

    /// Puts it on an address; any error makes the figures worthless.
    pub(crate) fn on(self, url: &str, pid: Option<&str>) -> Outcome<Figures> {
        self.with(url, pid, None)
    }

    /// The same with a body from a file.
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
        let figures: Figures = serde_json::from_str(&line)
            .map_err(|error| Failure::new(format!("cannot read what the load measured: {error}: {}", line.trim())))?;
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
