//! Formats measurements as Markdown tables.

use std::fmt::Write as _;

use crate::{
    calibration::Bin,
    figures::Figures,
    report::{Against, SetReport, TrialReport},
    split::Mode,
    targets,
    trial::RouterKind,
};

/// Formats one line: the average improvement in quality (AIQ) of the store on each set, relative to the best mix of
/// single models (the zero router).
pub fn summary(reports: &[SetReport]) -> String {
    let routed = |trial: &TrialReport| {
        trial.figures.iter().find(|figures| figures.router == RouterKind::StoreRouted).map(|figures| figures.aiq)
    };
    let shown = reports.iter().flat_map(|report| {
        let full = report.trials.iter().filter(|trial| trial.mode == Mode::Full);
        full.filter_map(routed).map(|aiq| format!("{} {:+.4}", report.set, aiq - report.references.zero))
    });
    format!("{} sets, AIQ above zero: {}", reports.len(), shown.collect::<Vec<_>>().join(", "))
}

/// Formats the tables of all sets.
pub fn all(reports: &[SetReport]) -> String {
    let mut text = String::new();
    sets(&mut text, reports);
    let _ = write!(text, "\n{}", targets::table(reports));
    for report in reports {
        let _ = writeln!(text, "\n### {}\n", report.set);
        set(&mut text, report);
    }
    text
}

// Writing to a `String` always succeeds.

/// Appends the table of all sets: their sizes, their split and the AIQ of the references.
fn sets(text: &mut String, reports: &[SetReport]) {
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

/// Appends the tables of one set: score and cost, figures of each router, comparisons with the store, calibration.
fn set(text: &mut String, report: &SetReport) {
    usual(text, report);
    text.push_str("\n| past | router | AIQ | lowest | above zero | saved at 98 % | at 10 % cost | APGR | CPT50 | CPT80 | silent |\n");
    text.push_str("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for trial in &report.trials {
        for figures in &trial.figures {
            row(text, trial, figures, report.references.zero);
        }
    }
    if report.trials.iter().any(|trial| !trial.margins.is_empty()) {
        text.push_str("\n| past | AIQ of | less that of | difference | 95 % of resamples | |\n");
        text.push_str("| --- | --- | --- | --: | --- | --- |\n");
    }
    for trial in &report.trials {
        for Against { store, other, margin } in &trial.margins {
            let (store, other, verdict) = (name(*store), name(*other), margin.verdict());
            let (difference, low, high) = (margin.difference, margin.low, margin.high);
            let past = past(trial);
            let _ = writeln!(
                text,
                "| {past} | {store} | {other} | {difference:+.4} | {low:+.4} to {high:+.4} | {verdict} |"
            );
        }
    }
    calibration(text, report);
}

/// Appends the table of score and cost at the default cost weight, compared with references that are not trained.
fn usual(text: &mut String, report: &SetReport) {
    let references = &report.references;
    let cheapest = format!("always the cheapest, {}", references.cheapest.0);
    let best = format!("always the best, {}", references.best.0);
    text.push_str("| who routes, cost weight 0.05 | accuracy | $ per 1,000 turns |\n| --- | --: | --: |\n");
    let mut line = |who: &str, cost: f64, score: f64| {
        let _ = writeln!(text, "| {who} | {:.1} % | {:.3} |", 100.0 * score, 1_000.0 * cost);
    };
    line(&cheapest, references.cheapest.1, references.cheapest.2);
    line(&best, references.best.1, references.best.2);
    line("any model, by chance", references.random.0, references.random.1);
    line("who knows every outcome", references.oracle_usual.0, references.oracle_usual.1);
    for trial in report.trials.iter().filter(|trial| trial.whole) {
        for figures in trial.figures.iter().filter(|figures| figures.router.is_store()) {
            let who = format!("{}, {}", name(figures.router), mode(trial.mode));
            line(&who, figures.usual_cost, figures.usual_score);
        }
    }
}

/// Appends the figures of one router with one training size; `zero` is the AIQ of the zero router.
fn row(text: &mut String, trial: &TrialReport, figures: &Figures, zero: f64) {
    let gap = figures.gap.map_or_else(
        || "- | - | -".to_owned(),
        |gap| format!("{:.3} | {:.1} % | {:.1} %", gap.average, 100.0 * gap.half, 100.0 * gap.four_fifths),
    );
    let Figures { router, aiq, lowest_aiq, saved, cheap_score, silent, .. } = figures;
    let (past, router, above) = (past(trial), name(*router), aiq - zero);
    let (saved, cheap_score, silent) = (100.0 * saved, 100.0 * cheap_score, 100.0 * silent);
    let lowest = if trial.draws == 1 { "-".to_owned() } else { format!("{lowest_aiq:.4}") };
    let _ = writeln!(
        text,
        "| {past} | {router} | {aiq:.4} | {lowest} | {above:+.4} | {saved:.0} % | {cheap_score:.1} % | {gap} | {silent:.0} % |"
    );
}

/// Appends the table of the store's calibration with each training size.
fn calibration(text: &mut String, report: &SetReport) {
    text.push_str("\n| past | ECE of success | gain expected | gain | confidence: turns decided by score, confidence, right | groups: confidence, gained |\n");
    text.push_str("| --- | --: | --: | --: | --- | --- |\n");
    for trial in &report.trials {
        let found = &trial.calibration;
        let (past, error) = (past(trial), found.success_error);
        let (expected, gain) = (found.expected_gain, found.gain);
        let (turns, groups) = (list(&found.confidence), list(&found.groups));
        let _ = writeln!(text, "| {past} | {error:.3} | {expected:+.4} | {gain:+.4} | {turns} | {groups} |");
    }
}

/// Formats bins as `count: predicted → observed`, separated by semicolons; `-` without bins.
fn list(bins: &[Bin]) -> String {
    if bins.is_empty() {
        return "-".to_owned();
    }
    let shown = bins.iter().map(|bin| format!("{}: {:.2} → {:.2}", bin.count, bin.predicted, bin.happened));
    shown.collect::<Vec<_>>().join("; ")
}

/// Formats the mode, the number of training turns, and the number of draws if there are several.
fn past(trial: &TrialReport) -> String {
    let draws = if trial.draws == 1 { String::new() } else { format!(" × {}", trial.draws) };
    format!("{}, {}{draws}", mode(trial.mode), trial.past)
}

/// Returns the name of a mode in tables.
const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Full => "full",
        Mode::Partial => "partial",
    }
}

/// Returns the name of a router in tables.
const fn name(router: RouterKind) -> &'static str {
    match router {
        RouterKind::Store => "store, estimates alone",
        RouterKind::StoreRouted => "store, as routed",
        RouterKind::Paper => "formula of 004",
        RouterKind::FiveNearest => "TF-IDF, 5 nearest",
        RouterKind::HundredNearest => "TF-IDF, 100 nearest, held back",
        RouterKind::Logistic => "logistic regression",
    }
}
