//! Tables of the measurements.

use std::fmt::Write as _;

use skills::Rate;

use super::{
    SkillReport,
    cases::{CaseMethod, CaseReport},
    trial::{SkillMethod, SkillSetReport, SkillTrial},
};
use crate::numbers::to_f64;

/// A target: the name of the set, its name in the table, the least value, and the figure it applies to, given the trials
/// of descriptions alone and of all training requests.
type Target = (&'static str, &'static str, f64, fn(&SkillTrial) -> Option<f64>, bool);

/// The targets on the public sets; the last field is whether the target applies to all training requests.
const TARGETS: [Target; 6] = [
    ("clinc150", "hit@1, trained", 0.924, |trial| Some(trial.figures.hit_1), true),
    ("clinc150", "hit@1, descriptions", 0.464, |trial| Some(trial.figures.hit_1), false),
    ("clinc150", "AUROC, trained", 0.946, |trial| trial.figures.auroc, true),
    ("metatool", "hit@1, trained", 0.784, |trial| Some(trial.figures.hit_1), true),
    ("metatool", "hit@1, descriptions", 0.486, |trial| Some(trial.figures.hit_1), false),
    ("metatool", "AUROC, trained", 0.923, |trial| trial.figures.auroc, true),
];

/// Formats all tables: sets, targets, methods, and labelled cases.
pub fn tables(report: &SkillReport) -> String {
    let mut text = "| set | skills | training requests | test requests | of them without a skill |\n".to_owned();
    text.push_str("| --- | --: | --: | --: | --: |\n");
    for set in &report.sets {
        // Writing to a `String` always succeeds.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            set.set, set.skills, set.train, set.test, set.test_without_skill
        );
    }
    text.push_str("\n| set | target | least | measured | |\n| --- | --- | --: | --: | --- |\n");
    for (set, name, least, figure, is_trained) in TARGETS {
        let found = report.sets.iter().find(|report| report.set == set).and_then(|set| target_trial(set, is_trained));
        if let Some(measured) = found.and_then(figure) {
            let verdict = if least <= measured { "met" } else { "**missed**" };
            let _ = writeln!(text, "| {set} | {name} | {least:.3} | {measured:.4} | {verdict} |");
        }
    }
    for set in &report.sets {
        push_trials(&mut text, set);
    }
    push_cases(&mut text, report);
    text
}

/// Formats one line for the summary of `cargo xtask ci`.
pub fn summary_line(report: &SkillReport) -> String {
    let set = |set: &SkillSetReport| {
        let trained = target_trial(set, true).map_or(0.0, |trial| trial.figures.hit_1);
        format!("{} {:.1} %", set.set, 100.0 * trained)
    };
    let missed = |folder: &CaseReport| {
        let trained = folder.trials.iter().find(|trial| trial.method == CaseMethod::Trained);
        let missed = trained.and_then(|trial| share(trial.tested.missed)).unwrap_or(1.0);
        format!("{} {:.1} %", folder.folder, 100.0 * missed)
    };
    let sets = report.sets.iter().map(set).collect::<Vec<_>>().join(", ");
    let missed = report.cases.iter().map(missed).collect::<Vec<_>>().join(", ");
    if missed.is_empty() { format!("hit@1 {sets}") } else { format!("hit@1 {sets}; missed {missed}") }
}

/// Returns the trial of the ranker with all training requests, or with none.
pub(super) fn target_trial(set: &SkillSetReport, is_trained: bool) -> Option<&SkillTrial> {
    let limit = if is_trained { None } else { Some(0) };
    set.trials.iter().find(|trial| trial.method == SkillMethod::Ranker && trial.per_skill == limit)
}

/// Appends the table of the trials of a set.
fn push_trials(text: &mut String, set: &SkillSetReport) {
    let _ = writeln!(text, "\n`{}`, test requests:\n", set.set);
    text.push_str("| method | training requests | hit@1 | hit@3 | AUROC | ECE | µs | training, s | MB |\n");
    text.push_str("| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n");
    for trial in &set.trials {
        let method = match trial.method {
            SkillMethod::Bm25 => "BM25 of descriptions",
            SkillMethod::Ranker if trial.requests == 0 => "ranker, descriptions",
            SkillMethod::Ranker => "ranker",
        };
        let requests = match trial.per_skill {
            Some(limit) if 0 < trial.requests => format!("{} (≤ {limit} per skill)", trial.requests),
            _ => trial.requests.to_string(),
        };
        let _ = writeln!(
            text,
            "| {method} | {requests} | {:.1} % | {:.1} % | {} | {} | {:.1} | {:.2} | {} |",
            100.0 * trial.figures.hit_1,
            100.0 * trial.figures.hit_3,
            optional(trial.figures.auroc),
            optional(trial.figures.calibration_error),
            trial.ranking_micros,
            trial.training_seconds,
            trial.memory_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{:.1}", to_f64(bytes) / 1e6)),
        );
    }
}

/// Appends the tables of labelled cases; nothing if there are none.
fn push_cases(text: &mut String, report: &SkillReport) {
    if report.cases.is_empty() {
        return;
    }
    for (half, is_tested) in [("cross-validated on the training half", false), ("test half", true)] {
        let _ = writeln!(text, "\nLabelled cases of skill authors, {half}:\n");
        text.push_str("| folder | skills | method | cases | without a skill | precision | missed | left alone |\n");
        text.push_str("| --- | --: | --- | --: | --: | --: | --: | --: |\n");
        for folder in &report.cases {
            for trial in &folder.trials {
                let cases = if is_tested { Some(&trial.tested) } else { trial.cross_validated.as_ref() };
                let Some(cases) = cases else { continue };
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {} | {} | {} | {} |",
                    folder.folder,
                    folder.skills,
                    method_name(trial.method),
                    cases.missed.total,
                    cases.false_positives.total,
                    optional(share(cases.precision)),
                    optional(share(cases.missed)),
                    optional(share(cases.false_positives).map(|share| 1.0 - share)),
                );
            }
        }
    }
    text.push_str(
        "\nEveryday requests that load a skill:\n\n| folder | method | load a skill |\n| --- | --- | --: |\n",
    );
    for folder in &report.cases {
        for trial in &folder.trials {
            let _ = writeln!(text, "| {} | {} | {} |", folder.folder, method_name(trial.method), trial.everyday);
        }
    }
}

/// Returns the name of a method in tables.
fn method_name(method: CaseMethod) -> &'static str {
    match method {
        CaseMethod::Descriptions => "no cases",
        CaseMethod::Trained => "trained",
        CaseMethod::TrainedWithoutKeywords => "trained, `keyword: off`",
    }
}

/// Converts a rate to a share from 0 to 1; `None` without data.
#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2⁵³")]
pub(super) fn share(rate: Rate) -> Option<f64> {
    (rate.total != 0).then(|| rate.count as f64 / rate.total as f64)
}

/// Formats a share with three decimals; `-` for `None`.
fn optional(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}
