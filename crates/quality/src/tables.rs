//! Formats measurements as Markdown tables.

use std::fmt::Write as _;

use crate::{
    calibration::CalibrationBin,
    figures::Figures,
    report::{RouterDifference, SetReport, TrialReport},
    split::KnownOutcomes,
    targets,
    trial::RouterKind,
};

/// Formats a one-line summary: for each set, the average improvement in quality (AIQ) of the store, less that of the
/// best mix of single models (the zero router).
pub fn summary_line(reports: &[SetReport]) -> String {
    let routed_aiq = |trial: &TrialReport| {
        trial.figures.iter().find(|figures| figures.router == RouterKind::StoreRouted).map(|figures| figures.aiq)
    };
    let set_summaries = reports.iter().flat_map(|report| {
        let full = report.trials.iter().filter(|trial| trial.mode == KnownOutcomes::Full);
        full.filter_map(routed_aiq).map(|aiq| format!("{} {:+.4}", report.set, aiq - report.references.zero))
    });
    format!("{} sets, AIQ above zero: {}", reports.len(), set_summaries.collect::<Vec<_>>().join(", "))
}

/// Formats all measurements as Markdown: the table of sets, the table of targets, and the tables of each set.
pub fn all_tables(reports: &[SetReport]) -> String {
    let mut text = String::new();
    push_sets_table(&mut text, reports);
    let _ = write!(text, "\n{}", targets::targets_table(reports));
    for report in reports {
        let _ = writeln!(text, "\n### {}\n", report.set);
        push_set_tables(&mut text, report);
    }
    text
}

// Writing to a `String` always succeeds.

/// Appends the table of all sets: their sizes, their splits, and the AIQ of the reference routers.
fn push_sets_table(text: &mut String, reports: &[SetReport]) {
    text.push_str("| set | turns | models | asked | split | zero AIQ | oracle AIQ | goes by |\n");
    text.push_str("| --- | --: | --: | --: | --- | --: | --: | --- |\n");
    for report in reports {
        let split = if report.parts == 1 { "halves".to_owned() } else { format!("{} folds", report.parts) };
        let by = if report.by_group { "words and group" } else { "words" };
        let SetReport { set, turns, models, asked, references, .. } = report;
        let (zero, oracle) = (references.zero, references.oracle);
        let _ = writeln!(text, "| {set} | {turns} | {models} | {asked} | {split} | {zero:.4} | {oracle:.4} | {by} |");
    }
}

/// Appends the tables of one set: score and cost at the default cost weight, figures of each router, differences to the
/// store, and calibration.
fn push_set_tables(text: &mut String, report: &SetReport) {
    push_default_weight_table(text, report);
    text.push_str("\n| past | router | AIQ | lowest | above zero | saved at 98 % | at 10 % cost | APGR | CPT50 | CPT80 | silent |\n");
    text.push_str("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for trial in &report.trials {
        for figures in &trial.figures {
            push_figures_row(text, trial, figures, report.references.zero);
        }
    }
    if report.trials.iter().any(|trial| !trial.margins.is_empty()) {
        text.push_str("\n| past | AIQ of | less that of | difference | 95 % of resamples | |\n");
        text.push_str("| --- | --- | --- | --: | --- | --- |\n");
    }
    for trial in &report.trials {
        for RouterDifference { store, other, margin } in &trial.margins {
            let (store, other, verdict) = (router_name(*store), router_name(*other), margin.verdict());
            let (difference, low, high) = (margin.difference, margin.low, margin.high);
            let past = training_label(trial);
            let _ = writeln!(
                text,
                "| {past} | {store} | {other} | {difference:+.4} | {low:+.4} to {high:+.4} | {verdict} |"
            );
        }
    }
    push_calibration_table(text, report);
}

/// Appends the table of score and cost at the default cost weight, for the reference routers and for the store.
fn push_default_weight_table(text: &mut String, report: &SetReport) {
    let references = &report.references;
    let cheapest = format!("always the cheapest, {}", references.cheapest.0);
    let best = format!("always the best, {}", references.best.0);
    text.push_str("| who routes, cost weight 0.05 | accuracy | $ per 1,000 turns |\n| --- | --: | --: |\n");
    let mut line = |label: &str, cost: f64, score: f64| {
        let _ = writeln!(text, "| {label} | {:.1} % | {:.3} |", 100.0 * score, 1_000.0 * cost);
    };
    line(&cheapest, references.cheapest.1, references.cheapest.2);
    line(&best, references.best.1, references.best.2);
    line("any model, by chance", references.random.0, references.random.1);
    line("who knows every outcome", references.oracle_usual.0, references.oracle_usual.1);
    for trial in report.trials.iter().filter(|trial| trial.whole) {
        for figures in trial.figures.iter().filter(|figures| figures.router.is_store()) {
            let label = format!("{}, {}", router_name(figures.router), mode_name(trial.mode));
            line(&label, figures.usual_cost, figures.usual_score);
        }
    }
}

/// Appends the row of one router and one training size to the table of figures. `zero` is the AIQ of the zero router.
fn push_figures_row(text: &mut String, trial: &TrialReport, figures: &Figures, zero: f64) {
    let gap = figures.gap.map_or_else(
        || "- | - | -".to_owned(),
        |gap| format!("{:.3} | {:.1} % | {:.1} %", gap.average, 100.0 * gap.half, 100.0 * gap.four_fifths),
    );
    let Figures { router, aiq, lowest_aiq, saved, cheap_score, silent, .. } = figures;
    let (past, router, above) = (training_label(trial), router_name(*router), aiq - zero);
    let (saved, cheap_score, silent) = (100.0 * saved, 100.0 * cheap_score, 100.0 * silent);
    let lowest = if trial.draws == 1 { "-".to_owned() } else { format!("{lowest_aiq:.4}") };
    let _ = writeln!(
        text,
        "| {past} | {router} | {aiq:.4} | {lowest} | {above:+.4} | {saved:.0} % | {cheap_score:.1} % | {gap} | {silent:.0} % |"
    );
}

/// Appends the table of the store's calibration, with a row for each training size.
fn push_calibration_table(text: &mut String, report: &SetReport) {
    text.push_str("\n| past | ECE of success | gain expected | gain | confidence: turns decided by score, confidence, right | groups: confidence, gained |\n");
    text.push_str("| --- | --: | --: | --: | --- | --- |\n");
    for trial in &report.trials {
        let calibration = &trial.calibration;
        let (past, error) = (training_label(trial), calibration.success_error);
        let (expected, gain) = (calibration.expected_gain, calibration.gain);
        let (turns, groups) = (format_bins(&calibration.confidence), format_bins(&calibration.groups));
        let _ = writeln!(text, "| {past} | {error:.3} | {expected:+.4} | {gain:+.4} | {turns} | {groups} |");
    }
}

/// Formats the bins of a calibration curve as `count: predicted → observed`, separated by semicolons; `-` if there are
/// none.
fn format_bins(bins: &[CalibrationBin]) -> String {
    if bins.is_empty() {
        return "-".to_owned();
    }
    let formatted_bins = bins.iter().map(|bin| format!("{}: {:.2} → {:.2}", bin.count, bin.predicted, bin.happened));
    formatted_bins.collect::<Vec<_>>().join("; ")
}

/// Formats the mode and the training size of a trial, and the number of draws if there are several.
fn training_label(trial: &TrialReport) -> String {
    let draws = if trial.draws == 1 { String::new() } else { format!(" × {}", trial.draws) };
    format!("{}, {}{draws}", mode_name(trial.mode), trial.past)
}

/// Returns the name of a mode in the tables.
const fn mode_name(mode: KnownOutcomes) -> &'static str {
    match mode {
        KnownOutcomes::Full => "full",
        KnownOutcomes::Partial => "partial",
    }
}

/// Returns the name of a router in the tables.
const fn router_name(router: RouterKind) -> &'static str {
    match router {
        RouterKind::Store => "store, estimates alone",
        RouterKind::StoreRouted => "store, as routed",
        RouterKind::Paper => "formula of 004",
        RouterKind::FiveNearest => "TF-IDF, 5 nearest",
        RouterKind::HundredNearest => "TF-IDF, 100 nearest, held back",
        RouterKind::Logistic => "logistic regression",
    }
}
