//! Telemetry of skill routing for each 100 tasks, compared with the targets of 003 Recommended Telemetry.
//!
//! Precision is counted over loaded skills, missed skills over the tasks that need one, and unnecessary skills over all
//! tasks with a label. Tasks without a label are counted separately.

mod format;
mod metric;
mod summary;
mod task;

pub use metric::{Metric, MetricValue, TelemetryReport, TelemetryTargets, close_windows};
pub use summary::{LabelCounts, TelemetrySummary};
pub use task::{TaskLabel, TaskRecord, TruthSource};
