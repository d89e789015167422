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

impl MetricValue {
    /// Formats the value, such as `41.0 % (41 of 100)`, or `1.40 (140 in 100)` for an average; `no data` if nothing was counted.
    pub fn value_text(&self) -> String {
        if self.metric != Metric::SkillsPerTask {
            return self.value.to_string();
        }
        let average = |average: u64| {
            let hundredths = (average + 5) / 10;
            format!("{}.{:02} ({} in {})", hundredths / 100, hundredths % 100, self.value.count, self.value.total)
        };
        self.value.per_mille().map_or_else(|| "no data".to_owned(), average)
    }

    /// Formats the target, such as `at most 10 %`.
    pub fn target_text(&self) -> String {
        let (bound, figure) = self.target();
        format!("{bound} {figure}")
    }

    /// Returns the direction of the target and its figure.
    fn target(&self) -> (&'static str, String) {
        let bound = if self.metric == Metric::Precision { "at least" } else { "at most" };
        let figure = if self.metric == Metric::SkillsPerTask {
            format!("{}.{:02}", self.target_percent / 100, self.target_percent % 100)
        } else {
            format!("{} %", self.target_percent)
        };
        (bound, figure)
    }

    /// Returns whether the target is reached in one word: `reached`, `missed` or `unknown`.
    pub const fn verdict(&self) -> &'static str {
        match self.reached {
            Some(true) => "reached",
            Some(false) => "missed",
            None => "unknown",
        }
    }
}

/// Formats the value, its target and whether it is reached.
impl fmt::Display for MetricValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bound, figure) = self.target();
        write!(f, "{:<20} {:<24} {bound} {figure:<6} {}", self.metric.name(), self.value_text(), self.verdict())
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
