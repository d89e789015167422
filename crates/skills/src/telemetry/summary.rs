//! [`TelemetrySummary`], the metrics of all tasks of a log as reports show them.

use serde::Serialize;

use super::{
    metric::{TelemetryReport, TelemetryTargets, close_windows},
    task::{TaskRecord, TruthSource},
};

/// The metrics of the latest tasks and of each complete window, with the origins of the labels. The command line and the page
/// show the same summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TelemetrySummary {
    /// The number of tasks.
    pub tasks: usize,
    /// The metrics of the latest tasks, at most as many as a window has.
    pub latest: TelemetryReport,
    /// The metrics of each complete window, oldest first.
    pub windows: Vec<TelemetryReport>,
    /// The origins of the labels of the latest tasks.
    pub labels: LabelCounts,
}

/// The number of labels by their origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LabelCounts {
    /// Corrections by the user.
    pub corrected: u64,
    /// Skills that the agent loaded.
    pub loaded: u64,
    /// Deferred skills that became due after a failure.
    pub deferred_activation: u64,
}

impl TelemetrySummary {
    /// Computes the summary of tasks, oldest first.
    pub fn new(tasks: &[TaskRecord], targets: &TelemetryTargets) -> Self {
        let latest = &tasks[tasks.len().saturating_sub(usize::from(targets.window.max(1)))..];
        let mut labels = LabelCounts::default();
        for label in latest.iter().filter_map(|task| task.label.as_ref()) {
            match label.source {
                TruthSource::Labelled => {}
                TruthSource::Corrected => labels.corrected += 1,
                TruthSource::DeferredActivation => labels.deferred_activation += 1,
                TruthSource::Loaded => labels.loaded += 1,
            }
        }
        Self {
            tasks: tasks.len(),
            latest: TelemetryReport::new(latest, targets),
            windows: close_windows(tasks, targets),
            labels,
        }
    }
}
