//! Runs all connections and adds up their measurements.

use std::{
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::runtime;

use crate::{
    bodies::Request,
    client::{Shared, work},
    figures::{Figures, as_float, rounded},
    process,
};

/// The parameters of a run of the load generator.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) host: String,
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
    /// The number of the first request.
    pub(crate) first: u64,
    pub(crate) requests: u64,
    pub(crate) pid: Option<u32>,
}

/// Runs on this thread.
pub(crate) fn run(plan: &Plan, request: &Request) -> Result<Value, String> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(|error| error.to_string())?;
    let begin = Instant::now() + plan.warm_up;
    let most = plan.first.saturating_add(plan.requests);
    let shared = Shared { begin, end: begin + plan.measured, next: AtomicU64::new(plan.first), most };
    let watched = |time: &dyn Fn(u32) -> Option<f64>| plan.pid.and_then(time);
    let (mut figures, before) = runtime.block_on(async {
        let request = Arc::new(request.clone());
        let shared = Arc::new(shared);
        let mut workers = Vec::new();
        for _ in 0..plan.connections.max(1) {
            let (host, request, shared) = (plan.host.clone(), Arc::clone(&request), Arc::clone(&shared));
            workers.push(tokio::spawn(async move { work(&host, &request, &shared).await }));
        }
        tokio::time::sleep_until(begin.into()).await;
        let before = watched(&process::processor_time);
        let mut all = Figures::default();
        for worker in workers {
            match worker.await {
                Ok(figures) => all.add(figures),
                Err(error) => all.failed(&error.to_string()),
            }
        }
        (all, before)
    });
    let after = watched(&process::processor_time);
    let took = Instant::now().saturating_duration_since(begin).min(plan.measured);
    let count = as_float(figures.count());
    if figures.count() == 0 {
        figures.failed("nothing was answered");
    }
    let mut told = figures.told(took);
    if let (Some(before), Some(after)) = (before, after) {
        told["cpu_us_per_request"] = json!(rounded((after - before) / count.max(1.0)));
    }
    if let Some((now, most)) = plan.pid.and_then(process::memory) {
        told["rss_kb"] = json!(now);
        told["most_rss_kb"] = json!(most);
    }
    Ok(told)
}
