//! Formats a telemetry report as a table for a terminal of 80 columns.

use std::fmt;

use super::metric::{Metric, MetricValue, TelemetryReport};

impl Metric {
    /// Returns the name of the metric in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precision => "precision",
            Self::Missed => "missed skills",
            Self::Unnecessary => "unnecessary skills",
            Self::SkillsPerTask => "skills per task",
            Self::Clarification => "questions",
        }
    }
}

/// Formats the value, its target and whether it is reached.
impl fmt::Display for MetricValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, target) = if self.metric == Metric::SkillsPerTask {
            let average = self.value.per_mille().map_or_else(
                || "no data".to_owned(),
                |average| {
                    let hundredths = (average + 5) / 10;
                    format!(
                        "{}.{:02} ({} in {})",
                        hundredths / 100,
                        hundredths % 100,
                        self.value.count,
                        self.value.total
                    )
                },
            );
            (average, format!("{}.{:02}", self.target_percent / 100, self.target_percent % 100))
        } else {
            (self.value.to_string(), format!("{} %", self.target_percent))
        };
        let bound = if self.metric == Metric::Precision { "at least" } else { "at most" };
        let reached = match self.reached {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "unknown",
        };
        write!(f, "{:<20} {value:<24} {bound} {target:<6} {reached}", self.metric.name())
    }
}

/// Formats the number of tasks and one line for each metric.
impl fmt::Display for TelemetryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.tasks == 1 { "" } else { "s" };
        writeln!(f, "{} task{plural}, {} without a label\n", self.tasks, self.unlabelled)?;
        for metric in &self.metrics {
            writeln!(f, "{metric}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        metric::{TelemetryReport, TelemetryTargets},
        task::{TaskLabel, TaskRecord, TruthSource},
    };

    /// SC-45, SC-46, SC-47, SC-48, SC-49: a report shows each value beside its target.
    #[test]
    fn a_report_shows_values_beside_targets() {
        let label = |needed: &[&str]| {
            let needed = needed.iter().map(|skill| (*skill).to_owned()).collect();
            Some(TaskLabel { needed, acceptable: Vec::new(), source: TruthSource::Labelled })
        };
        let task = |label| TaskRecord { loaded: vec!["a".into()], label, ..TaskRecord::default() };
        let mut tasks = vec![task(label(&["a"])); 9];
        tasks.extend([task(label(&["b"])), task(label(&[])), task(None)]);
        tasks[0].asked = true;
        let targets = TelemetryTargets::default();
        let report = TelemetryReport::new(&tasks, &targets).to_string();
        assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
        insta::assert_snapshot!(report + "\n" + &TelemetryReport::new(&tasks[..0], &targets).to_string());
    }
}
