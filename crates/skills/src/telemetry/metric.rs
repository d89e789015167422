//! [`TelemetryReport`], the metrics of a window of tasks and their targets.

use serde::{Deserialize, Serialize};

use super::task::TaskRecord;
use crate::rate::Rate;

/// A metric of skill routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Correct skills of all loaded skills.
    Precision,
    /// Tasks without a skill that they need, of the tasks that need one.
    Missed,
    /// Tasks with an unnecessary skill, of all labelled tasks.
    Unnecessary,
    /// Loaded skills for each task.
    SkillsPerTask,
    /// Tasks with a question, of all tasks.
    Clarification,
}

/// The targets of the metrics in percent, `skills.telemetry` in the policy. The defaults are those of 003.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryTargets {
    /// The number of tasks of a window.
    pub window: u16,
    /// The lowest precision.
    pub min_precision: u16,
    /// The highest rate of missed skills.
    pub max_missed: u16,
    /// The highest rate of unnecessary skills.
    pub max_unnecessary: u16,
    /// The highest average of loaded skills for each task, in hundredths.
    pub max_skills_per_task: u16,
    /// The highest rate of questions.
    pub max_clarification: u16,
}

impl Default for TelemetryTargets {
    fn default() -> Self {
        Self {
            window: 100,
            min_precision: 85,
            max_missed: 10,
            max_unnecessary: 10,
            max_skills_per_task: 140,
            max_clarification: 20,
        }
    }
}

/// The value of a metric and its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricValue {
    /// The metric.
    pub metric: Metric,
    /// The value.
    pub value: Rate,
    /// The target in percent.
    pub target_percent: u16,
    /// Whether the value reaches the target; `None` if nothing was counted.
    pub reached: Option<bool>,
}

/// The metrics of a window of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetryReport {
    /// The number of tasks.
    pub tasks: u64,
    /// The number of tasks without a label, which precision, missed and unnecessary skills do not count.
    pub unlabelled: u64,
    /// The metrics in the order of [`Metric`].
    pub metrics: Vec<MetricValue>,
}

impl TelemetryReport {
    /// Computes the metrics of tasks.
    pub fn new(tasks: &[TaskRecord], targets: &TelemetryTargets) -> Self {
        let mut counts = Counts::default();
        for task in tasks {
            counts.add(task);
        }
        let all = counts.tasks;
        let labelled = all - counts.unlabelled;
        let metrics = [
            (Metric::Precision, Rate::new(counts.correct, counts.labelled_skills), targets.min_precision),
            (Metric::Missed, Rate::new(counts.missed, counts.needing), targets.max_missed),
            (Metric::Unnecessary, Rate::new(counts.unnecessary, labelled), targets.max_unnecessary),
            (Metric::SkillsPerTask, Rate::new(counts.skills, all), targets.max_skills_per_task),
            (Metric::Clarification, Rate::new(counts.asked, all), targets.max_clarification),
        ];
        let metrics = metrics.map(|(metric, value, target_percent)| MetricValue {
            metric,
            value,
            target_percent,
            reached: (value.total > 0).then(|| reaches(metric, value, u64::from(target_percent))),
        });
        Self { tasks: all, unlabelled: counts.unlabelled, metrics: metrics.to_vec() }
    }
}

/// Returns whether a value reaches its target.
const fn reaches(metric: Metric, value: Rate, percent: u64) -> bool {
    match metric {
        Metric::Precision => !value.is_below_percent(percent),
        Metric::Missed | Metric::Unnecessary | Metric::SkillsPerTask | Metric::Clarification => {
            !value.exceeds_percent(percent)
        }
    }
}

/// Returns a report for each complete window of tasks, in their order. The tasks after the last complete window are in
/// none.
pub fn close_windows(tasks: &[TaskRecord], targets: &TelemetryTargets) -> Vec<TelemetryReport> {
    let windows = tasks.chunks_exact(usize::from(targets.window.max(1)));
    windows.map(|window| TelemetryReport::new(window, targets)).collect()
}

/// The counts of tasks and skills.
#[derive(Default)]
struct Counts {
    /// All tasks.
    tasks: u64,
    /// Tasks without a label.
    unlabelled: u64,
    /// Loaded skills of all tasks.
    skills: u64,
    /// Tasks with a question.
    asked: u64,
    /// Loaded skills of labelled tasks.
    labelled_skills: u64,
    /// Correct ones among them.
    correct: u64,
    /// Labelled tasks that need a skill.
    needing: u64,
    /// Those of them without a skill that they need.
    missed: u64,
    /// Labelled tasks with an unnecessary skill.
    unnecessary: u64,
}

impl Counts {
    /// Adds a task.
    fn add(&mut self, task: &TaskRecord) {
        self.tasks += 1;
        self.skills += task.loaded.len() as u64;
        self.asked += u64::from(task.asked);
        let Some(label) = &task.label else {
            self.unlabelled += 1;
            return;
        };
        let correct = task.loaded.iter().filter(|skill| label.accepts(skill)).count();
        self.labelled_skills += task.loaded.len() as u64;
        self.correct += correct as u64;
        self.unnecessary += u64::from(correct < task.loaded.len());
        if !label.needed.is_empty() {
            self.needing += 1;
            self.missed += u64::from(label.misses(&task.loaded));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::task::{TaskLabel, TruthSource},
        *,
    };

    /// Creates a label from the needed skills.
    fn label(needed: &[&str]) -> TaskLabel {
        let needed = needed.iter().map(|skill| (*skill).to_owned()).collect();
        TaskLabel { needed, acceptable: Vec::new(), source: TruthSource::Labelled }
    }

    /// Creates `count` tasks with loaded and needed skills.
    fn tasks(count: usize, loaded: &[&str], needed: &[&str]) -> Vec<TaskRecord> {
        let loaded = loaded.iter().map(|skill| (*skill).to_owned()).collect();
        vec![TaskRecord { loaded, label: Some(label(needed)), ..TaskRecord::default() }; count]
    }

    /// Returns a metric of tasks and whether it reaches its target.
    fn metric(tasks: &[TaskRecord], metric: Metric) -> (String, Option<bool>) {
        let report = TelemetryReport::new(tasks, &TelemetryTargets::default());
        let value = report.metrics.iter().find(|value| value.metric == metric).unwrap();
        (value.value.to_string(), value.reached)
    }

    /// SC-45: a precision of 85 of 100 loaded skills reaches the target, 84 does not.
    #[test]
    fn precision_counts_correct_skills() {
        let with = |correct| [tasks(correct, &["a"], &["a"]), tasks(100 - correct, &["a"], &["b"])].concat();
        assert_eq!(metric(&with(85), Metric::Precision), ("85.0 % (85 of 100)".into(), Some(true)));
        assert_eq!(metric(&with(84), Metric::Precision).1, Some(false));
    }

    /// SC-46: 11 of 100 tasks without the skill that they need are too many, 10 are not.
    #[test]
    fn missed_skills_count_tasks_that_need_one() {
        let with =
            |missed| [tasks(missed, &[], &["a"]), tasks(100 - missed, &["a"], &["a"]), tasks(50, &[], &[])].concat();
        assert_eq!(metric(&with(10), Metric::Missed), ("10.0 % (10 of 100)".into(), Some(true)));
        assert_eq!(metric(&with(11), Metric::Missed).1, Some(false));
    }

    /// SC-47: unnecessary skills are counted by task, so that two of them in one task count once.
    #[test]
    fn unnecessary_skills_count_tasks() {
        let with = |unneeded| [tasks(unneeded, &["x", "y"], &[]), tasks(100 - unneeded, &["a"], &["a"])].concat();
        assert_eq!(metric(&with(10), Metric::Unnecessary), ("10.0 % (10 of 100)".into(), Some(true)));
        assert_eq!(metric(&with(11), Metric::Unnecessary).1, Some(false));
    }

    /// SC-48: an average of 1.41 skills is above the target, 1.40 is not.
    #[test]
    fn skills_per_task_are_an_average() {
        let with = |two| [tasks(two, &["a", "b"], &[]), tasks(100 - two, &["a"], &[])].concat();
        assert_eq!(metric(&with(40), Metric::SkillsPerTask).1, Some(true));
        assert_eq!(metric(&with(41), Metric::SkillsPerTask).1, Some(false));
    }

    /// SC-49: 21 questions in 100 tasks are too many, 20 are not.
    #[test]
    fn questions_count_all_tasks() {
        let with = |asked| {
            let mut tasks = tasks(100, &[], &[]);
            for task in tasks.iter_mut().take(asked) {
                task.asked = true;
            }
            tasks
        };
        assert_eq!(metric(&with(20), Metric::Clarification).1, Some(true));
        assert_eq!(metric(&with(21), Metric::Clarification).1, Some(false));
    }

    /// SC-50: every 100 tasks have one report, and tasks without a label are counted separately.
    #[test]
    fn a_window_of_100_tasks_has_one_report() {
        let mut all = tasks(250, &["a"], &["a"]);
        for task in all.iter_mut().take(30) {
            task.label = None;
        }
        let reports = close_windows(&all, &TelemetryTargets::default());
        let summary: Vec<_> = reports.iter().map(|report| (report.tasks, report.unlabelled)).collect();
        assert_eq!(summary, [(100, 30), (100, 0)]);
        assert_eq!(metric(&all[..30], Metric::Precision), ("no data".into(), None));
        assert_eq!(metric(&[], Metric::SkillsPerTask), ("no data".into(), None));
    }

    /// SC-45, SC-46: an acceptable skill is correct and replaces the needed one.
    #[test]
    fn an_acceptable_skill_is_correct() {
        let acceptable = TaskLabel { acceptable: vec!["b".into()], ..label(&["a"]) };
        let task = TaskRecord { loaded: vec!["b".into()], label: Some(acceptable), ..TaskRecord::default() };
        let all = [task];
        assert_eq!([Metric::Precision, Metric::Missed].map(|one| metric(&all, one).1), [Some(true); 2]);
    }
}
