//! Runs the load generator and parses its results.

use std::{path::Path, process::Command};

use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    program::{capture_output, display_command},
    workspace,
};

/// The number of requests per session: the average of recorded sessions of Claude Code (2025 calls in 33 sessions).
pub(super) const TURNS_PER_SESSION: u64 = 60;

/// The parameters of one run of the load generator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// The kind of request, as the load generator names it.
    pub(crate) body: &'static str,
    /// The number of concurrent connections.
    pub(crate) connections: usize,
    /// The duration of the measurement in seconds.
    pub(crate) seconds: f64,
    /// The seconds of load before the measurement.
    pub(crate) warm_up: f64,
    /// The number of requests after which to stop, if that is earlier.
    pub(crate) requests: Option<u64>,
    /// The number of consecutive requests of one session; `None` makes every request a session.
    pub(crate) turns: Option<u64>,
    /// The number of the first request. Loads with disjoint numbers never repeat a message.
    pub(crate) first_number: u64,
}

/// The results of a load, as the load generator prints them in JSON; times in microseconds.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct LoadFigures {
    /// The number of successful requests in the measurement.
    pub(crate) requests: u64,
    /// The number of failed requests.
    errors: u64,
    /// The message of the first failed request; `None` if all succeeded.
    first_error: Option<String>,
    /// Successful requests per second.
    pub(crate) rps: f64,
    /// The median time to the last byte.
    #[serde(rename = "p50_us")]
    pub(crate) median: f64,
    /// The 99th percentile of the time to the last byte.
    #[serde(rename = "p99_us")]
    pub(crate) p99: f64,
    /// The median time to the first byte.
    #[serde(rename = "first_byte_p50_us")]
    pub(crate) first_byte: f64,
    /// The processor time of the gateway per request.
    #[serde(rename = "cpu_us_per_request", default)]
    pub(crate) processor: f64,
    /// The resident memory of the gateway at the end, in kilobytes.
    #[serde(rename = "rss_kb", default)]
    pub(crate) resident_kb: f64,
    /// The peak of the gateway's resident memory, in kilobytes.
    #[serde(rename = "most_rss_kb", default)]
    pub(crate) most_resident_kb: f64,
}

impl Load {
    /// Creates a load of one second, after 0.3 s without measurement, in which every request is a session.
    pub(crate) const fn new(body: &'static str, connections: usize) -> Self {
        Self { body, connections, seconds: 1.0, warm_up: 0.3, requests: None, turns: None, first_number: 0 }
    }

    /// Runs the load generator against a base URL and prints its results. `pid` is the process whose processor time and
    /// memory are measured.
    ///
    /// # Errors
    /// If any request fails, or none succeeds.
    pub(crate) fn run(self, url: &str, pid: Option<&str>) -> Outcome<LoadFigures> {
        self.run_with_body(url, pid, None)
    }

    /// Runs the load generator with the request body in `file`; `None` for a generated body. The other parameters are
    /// those of [`run`](Self::run).
    ///
    /// # Errors
    /// If any request fails, or none succeeds.
    pub(crate) fn run_with_body(self, url: &str, pid: Option<&str>, file: Option<&Path>) -> Outcome<LoadFigures> {
        let mut command = Command::new(workspace::release_binary("load"));
        command.args(["--url", url, "--body", self.body, "--distinct"]);
        command.args(["--connections", &self.connections.to_string(), "--seconds", &self.seconds.to_string()]);
        command.args(["--warm-up", &self.warm_up.to_string(), "--first", &self.first_number.to_string()]);
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
        println!("$ {}", display_command(&command));
        let line = capture_output(&mut command)?;
        print!("{line}");
        let figures: LoadFigures = serde_json::from_str(&line).map_err(|error| {
            Failure::new(format!("cannot parse the figures of the load generator: {error}: {}", line.trim()))
        })?;
        match figures {
            LoadFigures { errors: 0, requests: 1.., .. } => Ok(figures),
            LoadFigures { errors, requests, first_error, .. } => Err(Failure::new(format!(
                "{errors} of {} requests failed, first: {}",
                errors + requests,
                first_error.unwrap_or_default()
            ))),
        }
    }
}
