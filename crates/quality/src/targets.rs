//! The targets for the store on the public prompt sets, and whether the measurements meet them.

use std::fmt::Write as _;

use crate::{
    figures::Figures,
    report::{SetReport, TrialReport},
    split::KnownOutcomes,
    trial::RouterKind,
};

/// The greatest AIQ that the store may lose against the best mix of single models, on any set and training size.
const MAX_LOSS: f64 = 0.002;

/// A limit that one figure of merit of the store must meet.
#[derive(Debug, Clone, Copy)]
enum FigureLimit {
    /// The least AIQ.
    Aiq(f64),
    /// The least average share of the gap closed (APGR).
    GapAverage(f64),
    /// The greatest share of strong calls that closes half of the gap (CPT50).
    HalfGapCalls(f64),
    /// The greatest share of strong calls that closes four fifths of the gap (CPT80).
    FourFifthsGapCalls(f64),
    /// The least share of cost saved at 98 % of the best model's score.
    Saved(f64),
    /// The least score at a tenth of the most expensive model's cost.
    CheapScore(f64),
}

/// A target: the name of the set, the mode, the training size (`None` for all turns), and the limit.
type Target = (&'static str, KnownOutcomes, Option<usize>, FigureLimit);

/// The targets on the public sets.
const TARGETS: &[Target] = &[
    ("mmlu", KnownOutcomes::Full, None, FigureLimit::GapAverage(0.69)),
    ("mmlu", KnownOutcomes::Full, Some(1_500), FigureLimit::GapAverage(0.65)),
    ("mmlu", KnownOutcomes::Full, Some(1_500), FigureLimit::HalfGapCalls(0.30)),
    ("mmlu", KnownOutcomes::Full, Some(1_500), FigureLimit::FourFifthsGapCalls(0.64)),
    ("gsm8k", KnownOutcomes::Full, None, FigureLimit::GapAverage(0.66)),
    ("gsm8k", KnownOutcomes::Partial, None, FigureLimit::Aiq(0.771)),
    ("routerbench_slice", KnownOutcomes::Full, None, FigureLimit::Aiq(0.860)),
    ("routerbench_slice", KnownOutcomes::Full, None, FigureLimit::Saved(0.62)),
    ("routerbench_slice", KnownOutcomes::Partial, None, FigureLimit::Aiq(0.837)),
    ("bfcl_toolcalls", KnownOutcomes::Full, None, FigureLimit::Aiq(0.900)),
    ("coderouter_id", KnownOutcomes::Full, None, FigureLimit::CheapScore(0.52)),
    ("coderouter_id", KnownOutcomes::Partial, None, FigureLimit::Aiq(0.496)),
];

/// Formats the table of targets and measurements. Targets of sets that were not measured are omitted.
pub(crate) fn targets_table(reports: &[SetReport]) -> String {
    let mut text = "| set | past | target | estimates alone | | as routed | |\n".to_owned();
    text.push_str("| --- | --- | --- | --: | --- | --: | --- |\n");
    for (set, mode, past, limit) in TARGETS {
        let report = reports.iter().find(|report| report.set == *set);
        let matches = |trial: &&TrialReport| trial.mode == *mode && past.map_or(trial.whole, |past| trial.past == past);
        if let Some(trial) = report.and_then(|report| report.trials.iter().find(matches)) {
            push_target_row(&mut text, set, trial, *limit);
        }
    }
    for report in reports {
        for trial in &report.trials {
            push_target_row(&mut text, &report.set, trial, FigureLimit::Aiq(report.references.zero - MAX_LOSS));
        }
    }
    text
}

/// Appends the row of one target: the figures of the store without and with thresholds, each with whether it meets the
/// limit.
fn push_target_row(text: &mut String, set: &str, trial: &TrialReport, limit: FigureLimit) {
    let find = |kind| trial.figures.iter().find(|figures| figures.router == kind);
    let format_figure = |kind| {
        find(kind).map_or_else(
            || "- | -".to_owned(),
            |figures| match limit.evaluate(figures) {
                (figure, true) => format!("{figure} | met"),
                (figure, false) => format!("{figure} | **missed**"),
            },
        )
    };
    let mode = if trial.mode == KnownOutcomes::Full { "full" } else { "partial" };
    let (past, limit) = (trial.past, limit.describe());
    let (store_cell, routed_cell) = (format_figure(RouterKind::Store), format_figure(RouterKind::StoreRouted));
    // Writing to a `String` always succeeds.
    let _ = writeln!(text, "| {set} | {mode}, {past} | {limit} | {store_cell} | {routed_cell} |");
}

impl FigureLimit {
    /// Formats the limit for the table, such as `AIQ at least 0.8600`.
    fn describe(self) -> String {
        match self {
            Self::Aiq(minimum) => format!("AIQ at least {minimum:.4}"),
            Self::GapAverage(minimum) => format!("APGR at least {minimum:.3}"),
            Self::HalfGapCalls(maximum) => format!("CPT50 at most {:.0} %", 100.0 * maximum),
            Self::FourFifthsGapCalls(maximum) => format!("CPT80 at most {:.0} %", 100.0 * maximum),
            Self::Saved(minimum) => format!("at least {:.0} % saved at 98 %", 100.0 * minimum),
            Self::CheapScore(minimum) => format!("at least {:.0} % right at 10 % cost", 100.0 * minimum),
        }
    }

    /// Returns the formatted figure of merit to which the limit applies, and whether it meets the limit. If there is no
    /// performance gap, the figures of the gap have the worst possible values.
    fn evaluate(self, figures: &Figures) -> (String, bool) {
        let per_cent = |share: f64| format!("{:.1} %", 100.0 * share);
        // Without a gap nothing can be closed.
        let (average, half, four_fifths) =
            figures.gap.map_or((0.0, 1.0, 1.0), |gap| (gap.average, gap.half, gap.four_fifths));
        match self {
            Self::Aiq(minimum) => (format!("{:.4}", figures.aiq), minimum <= figures.aiq),
            Self::GapAverage(minimum) => (format!("{average:.4}"), minimum <= average),
            Self::HalfGapCalls(maximum) => (per_cent(half), half <= maximum),
            Self::FourFifthsGapCalls(maximum) => (per_cent(four_fifths), four_fifths <= maximum),
            Self::Saved(minimum) => (per_cent(figures.saved), minimum <= figures.saved),
            Self::CheapScore(minimum) => (per_cent(figures.cheap_score), minimum <= figures.cheap_score),
        }
    }
}
