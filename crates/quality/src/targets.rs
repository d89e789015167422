//! The targets on the public sets, and whether the measurements meet them.

use std::fmt::Write as _;

use crate::{
    figures::Figures,
    report::{SetReport, TrialReport},
    split::Mode,
    trial::RouterKind,
};

/// The AIQ that the store may lose at most to the best mix of single models, on any set and training size.
const MAX_LOSS: f64 = 0.002;

/// The limit of a router's figure of merit.
#[derive(Debug, Clone, Copy)]
enum Limit {
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

/// The name of a set, the mode, the training size (`None` for all turns), and the limit.
type Target = (&'static str, Mode, Option<usize>, Limit);

/// The targets on the public sets.
const TARGETS: &[Target] = &[
    ("mmlu", Mode::Full, None, Limit::GapAverage(0.69)),
    ("mmlu", Mode::Full, Some(1_500), Limit::GapAverage(0.65)),
    ("mmlu", Mode::Full, Some(1_500), Limit::HalfGapCalls(0.30)),
    ("mmlu", Mode::Full, Some(1_500), Limit::FourFifthsGapCalls(0.64)),
    ("gsm8k", Mode::Full, None, Limit::GapAverage(0.66)),
    ("gsm8k", Mode::Partial, None, Limit::Aiq(0.771)),
    ("routerbench_slice", Mode::Full, None, Limit::Aiq(0.860)),
    ("routerbench_slice", Mode::Full, None, Limit::Saved(0.62)),
    ("routerbench_slice", Mode::Partial, None, Limit::Aiq(0.837)),
    ("bfcl_toolcalls", Mode::Full, None, Limit::Aiq(0.900)),
    ("coderouter_id", Mode::Full, None, Limit::CheapScore(0.52)),
    ("coderouter_id", Mode::Partial, None, Limit::Aiq(0.496)),
];

/// Formats the table of targets and measurements. Targets of sets that were not measured are omitted.
pub(crate) fn table(reports: &[SetReport]) -> String {
    let mut text = "| set | past | target | estimates alone | | as routed | |\n".to_owned();
    text.push_str("| --- | --- | --- | --: | --- | --: | --- |\n");
    for (set, mode, past, limit) in TARGETS {
        let report = reports.iter().find(|report| report.set == *set);
        let matches = |trial: &&TrialReport| trial.mode == *mode && past.map_or(trial.whole, |past| trial.past == past);
        if let Some(trial) = report.and_then(|report| report.trials.iter().find(matches)) {
            row(&mut text, set, trial, *limit);
        }
    }
    for report in reports {
        for trial in &report.trials {
            row(&mut text, &report.set, trial, Limit::Aiq(report.references.zero - MAX_LOSS));
        }
    }
    text
}

/// Appends the row of one target: the figures of the store without and with thresholds, and whether each meets the
/// limit.
fn row(text: &mut String, set: &str, trial: &TrialReport, limit: Limit) {
    let find = |kind| trial.figures.iter().find(|figures| figures.router == kind);
    let shown = |kind| {
        find(kind).map_or_else(
            || "- | -".to_owned(),
            |figures| match limit.evaluate(figures) {
                (figure, true) => format!("{figure} | met"),
                (figure, false) => format!("{figure} | **missed**"),
            },
        )
    };
    let mode = if trial.mode == Mode::Full { "full" } else { "partial" };
    let (past, limit) = (trial.past, limit.describe());
    let (alone, routed) = (shown(RouterKind::Store), shown(RouterKind::StoreRouted));
    // Writing to a `String` always succeeds.
    let _ = writeln!(text, "| {set} | {mode}, {past} | {limit} | {alone} | {routed} |");
}

impl Limit {
    /// Formats the limit, such as `AIQ at least 0.8600`.
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

    /// Formats the figure that the limit applies to; returns it and whether the limit is met. Without a performance
    /// gap, its figures have the worst possible values.
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
