//! The load test: runs all connections and merges their measurements.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::runtime;

use crate::{
    bodies::Request,
    client::{LoadState, run_connection},
    measurements::{Measurements, as_float, rounded},
    process,
};

/// The parameters of a load test: the server, the number of connections and requests, and the duration.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The server, as `host:port`.
    pub(crate) host: String,
    /// The number of concurrent connections.
    pub(crate) connections: usize,
    /// The duration of the warm-up, which is not measured.
    pub(crate) warm_up: Duration,
    /// The duration of the measurement.
    pub(crate) measured: Duration,
    /// The number of the first request.
    pub(crate) first_number: u64,
    /// The number of requests after which to stop, if that is before the end of the measurement.
    pub(crate) max_requests: u64,
    /// The process whose processor time and memory to report; `None` to report neither.
    pub(crate) pid: Option<u32>,
}

/// Runs a load test on the current thread and returns its report as JSON. The report of a test without a successful
/// request contains an error.
///
/// # Errors
/// A message if the runtime cannot be started.
pub(crate) fn run(plan: &Plan, request: &Request) -> Result<Value, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let begin = Instant::now() + plan.warm_up;
    let end_number = plan.first_number.saturating_add(plan.max_requests);
    let state = LoadState {
        measure_from: begin,
        stop_at: begin + plan.measured,
        next_number: AtomicU64::new(plan.first_number),
        end_number,
    };
    let (mut measurements, cpu_before) = runtime.block_on(run_connections(plan, request, state));
    let cpu_after = plan.pid.and_then(process::processor_time);
    let elapsed = Instant::now().saturating_duration_since(begin).min(plan.measured);
    let count = as_float(measurements.count());
    if measurements.count() == 0 {
        measurements.add_error("nothing was answered");
    }
    let mut report = measurements.into_json(elapsed);
    if let (Some(cpu_before), Some(cpu_after)) = (cpu_before, cpu_after) {
        report["cpu_us_per_request"] = json!(rounded((cpu_after - cpu_before) / count.max(1.0)));
    }
    if let Some((current_kb, peak_kb)) = plan.pid.and_then(process::memory) {
        report["rss_kb"] = json!(current_kb);
        report["most_rss_kb"] = json!(peak_kb);
    }
    Ok(report)
}

/// Runs all connections to their end. Returns the sum of their measurements, and the processor time of the observed
/// process at the end of the warm-up, in microseconds (`None` if there is no such process).
async fn run_connections(plan: &Plan, request: &Request, state: LoadState) -> (Measurements, Option<f64>) {
    let (request, state) = (Arc::new(request.clone()), Arc::new(state));
    let mut workers = Vec::new();
    for _ in 0..plan.connections.max(1) {
        let (host, request, state) = (plan.host.clone(), Arc::clone(&request), Arc::clone(&state));
        workers.push(tokio::spawn(async move { run_connection(&host, &request, &state).await }));
    }
    tokio::time::sleep_until(state.measure_from.into()).await;
    let cpu_before = plan.pid.and_then(process::processor_time);
    let mut total = Measurements::default();
    for worker in workers {
        match worker.await {
            Ok(measurements) => total.merge(measurements),
            Err(error) => total.add_error(&error.to_string()),
        }
    }
    (total, cpu_before)
}
