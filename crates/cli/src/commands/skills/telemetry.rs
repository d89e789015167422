//! `skills telemetry`: how often the right skills were loaded, compared with the targets.

use skills::telemetry::{LabelCounts, TelemetryReport, TelemetrySummary};

use super::recorded::RecordedDecisions;
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, HEADING, Table, count_noun, out, outln, styled},
};

/// The maximum number of windows in the table.
const MAX_WINDOWS: usize = 10;

/// Prints the metrics of the latest tasks and of all complete windows.
pub(super) fn run(context: &Context, decisions: &RecordedDecisions) -> Result<(), Failure> {
    let targets = &decisions.settings.telemetry;
    let tasks = decisions.history.tasks(|request| decisions.is_measured(request));
    let summary = TelemetrySummary::new(&tasks, targets);
    context.print(&summary, || {
        if tasks.is_empty() {
            decisions.print_nothing();
            return;
        }
        out!("{}", summary.latest);
        let LabelCounts { corrected, loaded, deferred_activation } = summary.labels;
        let corrections = count_noun(corrected, "correction");
        let origins =
            format!("Labels: {corrections}, {loaded} from loaded skills, {deferred_activation} from deferred ones");
        outln!("\n{}", styled(FAINT, &origins));
        if summary.latest.unlabelled == summary.latest.tasks {
            outln!("{}", styled(FAINT, "State the right skill of a decision: turnwise skills corrected TURN SKILL"));
        }
        if !summary.windows.is_empty() {
            let title = format!("Complete windows of {}, oldest first", count_noun(u64::from(targets.window), "task"));
            outln!("\n{}", styled(HEADING, &title));
            print_windows(&summary.windows);
        }
    })
}

/// Prints the rates of the latest windows.
fn print_windows(windows: &[TelemetryReport]) {
    let mut table = Table::new(&[">WINDOW", ">PRECISION", ">MISSED", ">UNNECESSARY", ">PER TASK", ">QUESTIONS"]);
    let first = windows.len().saturating_sub(MAX_WINDOWS);
    for (number, window) in windows.iter().enumerate().skip(first) {
        let percent = |index: usize| {
            let rate = window.metrics.get(index).and_then(|metric| metric.value.per_mille());
            rate.map_or_else(|| "--".to_owned(), |rate| format!("{}.{} %", rate / 10, rate % 10))
        };
        let average = window.metrics.get(3).and_then(|metric| metric.value.per_mille()).unwrap_or_default() / 10;
        table.add_row([
            (number + 1).to_string(),
            percent(0),
            percent(1),
            percent(2),
            format!("{}.{:02}", average / 100, average % 100),
            percent(4),
        ]);
    }
    table.print();
}
