//! Prints a backtest: a summary, the changes by group, and the turns that change model.

mod groups;
mod turns;

use what_if::{Backtest, Report, TurnRow, dollars, per_cent, signed};

use crate::{
    context::local_time,
    screen::{FAINT, HEADING, Table, count_noun, outln, styled},
};

/// Prints the report of a backtest: totals, changes by group, and turns that change model. `all` prints every row and
/// every group instead of the largest.
pub(super) fn report(report: &Report, rows: &[TurnRow], options: &Backtest, all: bool) {
    print_summary(report);
    if let [only] = report.new.as_slice() {
        groups::print(report, only, all);
    } else {
        outln!("\n--json has the sums by project, week, rule and model for each policy");
    }
    turns::print(report, rows, options, all);
    print_excluded(report);
    print_assumptions(report, all);
}

/// Prints the totals of a backtest: the cost under each policy, and the error of the estimate.
fn print_summary(report: &Report) {
    let against = if report.against == "recorded" { "what ran" } else { &report.against };
    let period = report.period.map(|(first, last)| format!(", {} to {}", day(first), day(last))).unwrap_or_default();
    let imported = match report.imported {
        0 => String::new(),
        all if all == report.turns => ", all imported".to_owned(),
        some => format!(", {some} imported"),
    };
    let title = format!("{} compared with {against}{period}{imported}", count_noun(report.turns, "turn"));
    outln!("{}\n", styled(HEADING, &title));
    let mut table = Table::new(&["POLICY", ">COST", ">DIFFERENCE", ">", ">TURNS CHANGED"]);
    let old = report.old.all.nano_usd;
    table.add_row([against.to_owned(), dollars(old)]);
    for new in &report.new {
        let cost = new.totals.all.nano_usd;
        let difference = cost.saturating_sub(old);
        table.add_row([
            file_name(&new.name),
            dollars(cost),
            signed(difference),
            per_cent(difference, old),
            new.changed.to_string(),
        ]);
    }
    table.print();
    let calibration = &report.calibration;
    outln!(
        "\nCalibration error: {} in total, {} for the median of {}",
        calibration.total,
        calibration.median,
        count_noun(calibration.sessions, "session"),
    );
    let figures = format!(
        "(simulating what ran gives {} for {})",
        dollars(calibration.simulated_nano_usd),
        dollars(calibration.recorded_nano_usd)
    );
    outln!("{}", styled(FAINT, &figures));
}

/// Formats the day of a time in the local time zone, as `2026-11-20`.
fn day(at: event_core::Timestamp) -> String {
    local_time(at).chars().take(10).collect()
}

/// Returns the file name of a policy's path; a name that is not a path is returned unchanged.
fn file_name(name: &str) -> String {
    let path = std::path::Path::new(name);
    path.file_name().map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
}

/// Prints how many recorded turns a backtest could not compare, by reason, and how many model calls belong to no turn.
fn print_excluded(report: &Report) {
    if !report.excluded.is_empty() {
        let total = report.excluded_total();
        let (turns, cost) = (count_noun(total.turns, "turn"), dollars(total.nano_usd));
        outln!("\n{turns} excluded from all figures ({cost} as recorded):");
        for (reason, total) in &report.excluded {
            outln!("  {:>5}  {:>9}  {reason}", total.turns, dollars(total.nano_usd));
        }
    }
    if 0 < report.skill_routing.calls {
        let questions = count_noun(report.skill_routing.calls, "question");
        let cost = dollars(report.skill_routing.nano_usd);
        outln!("\nSkill routing: {questions} to a model ({cost}) excluded from all figures");
    }
    if 0 < report.outside.calls {
        let calls = count_noun(report.outside.calls, "call");
        let cost = dollars(report.outside.nano_usd);
        outln!("\n{calls} of no turn in the range ({cost}) excluded from all figures");
    }
}

/// Prints the assumptions behind the estimates of a backtest; without `all`, only the option that prints them.
fn print_assumptions(report: &Report, all: bool) {
    if !all {
        outln!("\n{}", styled(FAINT, "--all lists every turn and the assumptions, --html writes a report"));
        return;
    }
    outln!();
    for assumption in &report.assumptions {
        for line in crate::screen::wrap(assumption, 78) {
            outln!("{}", styled(FAINT, &format!("  {line}")));
        }
    }
}
