//! The targets on the public sets, and whether the measurements meet them.

use std::fmt::Write as _;

use crate::{
    figures::Figures,
    report::{SetReport, TrialReport},
    split::Mode,
    trial::RouterKind,
};

/// The most AIQ that the store may lose to the best mix of single models, on any set and training size.
const BELOW_ZERO: f64 = 0.002;

/// The figure of a router that a target is about, with its limit.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Aiq(f64),
    Average(f64),
    Half(f64),
    FourFifths(f64),
    Saved(f64),
    Cheap(f64),
}

/// The name of a set, the mode, the training size (`None` for all turns), and the limit.
type Target = (&'static str, Mode, Option<usize>, Limit);

const TARGETS: &[Target] = &[
    ("mmlu", Mode::Full, None, Limit::Average(0.69)),
    ("mmlu", Mode::Full, Some(1_500), Limit::Average(0.65)),
    ("mmlu", Mode::Full, Some(1_500), Limit::Half(0.30)),
    ("mmlu", Mode::Full, Some(1_500), Limit::FourFifths(0.64)),
    ("gsm8k", Mode::Full, None, Limit::Average(0.66)),
    ("gsm8k", Mode::Partial, None, Limit::Aiq(0.771)),
    ("routerbench_slice", Mode::Full, None, Limit::Aiq(0.860)),
    ("routerbench_slice", Mode::Full, None, Limit::Saved(0.62)),
    ("routerbench_slice", Mode::Partial, None, Limit::Aiq(0.837)),
    ("bfcl_toolcalls", Mode::Full, None, Limit::Aiq(0.900)),
    ("coderouter_id", Mode::Full, None, Limit::Cheap(0.52)),
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
            row(&mut text, &report.set, trial, Limit::Aiq(report.references.zero - BELOW_ZERO));
        }
    }
    text
}

fn row(text: &mut String, set: &str, trial: &TrialReport, limit: Limit) {
    let find = |kind| trial.figures.iter().find(|figures| figures.router == kind);
    let shown = |kind| {
        find(kind).map_or_else(
            || "- | -".to_owned(),
            |figures| match limit.measured(figures) {
                (figure, true) => format!("{figure} | met"),
                (figure, false) => format!("{figure} | **missed**"),
            },
        )
    };
    let mode = if trial.mode == Mode::Full { "full" } else { "partial" };
    let (past, limit) = (trial.past, limit.shown());
    let (alone, routed) = (shown(RouterKind::Store), shown(RouterKind::StoreRouted));
    // Writing to a `String` always succeeds.
    let _ = writeln!(text, "| {set} | {mode}, {past} | {limit} | {alone} | {routed} |");
}

impl Limit {
    fn shown(self) -> String {
        match self {
            Self::Aiq(least) => format!("AIQ at least {least:.4}"),
            Self::Average(least) => format!("APGR at least {least:.3}"),
            Self::Half(most) => format!("CPT50 at most {:.0} %", 100.0 * most),
            Self::FourFifths(most) => format!("CPT80 at most {:.0} %", 100.0 * most),
            Self::Saved(least) => format!("at least {:.0} % saved at 98 %", 100.0 * least),
            Self::Cheap(least) => format!("at least {:.0} % right at 10 % cost", 100.0 * least),
        }
    }

    /// Formats the measured figure; returns it and whether it meets the target.
    fn measured(self, figures: &Figures) -> (String, bool) {
        let per_cent = |share: f64| format!("{:.1} %", 100.0 * share);
        // Without a gap nothing can be closed.
        let (average, half, four_fifths) =
            figures.gap.map_or((0.0, 1.0, 1.0), |gap| (gap.average, gap.half, gap.four_fifths));
        match self {
            Self::Aiq(least) => (format!("{:.4}", figures.aiq), least <= figures.aiq),
            Self::Average(least) => (format!("{average:.4}"), least <= average),
            Self::Half(most) => (per_cent(half), half <= most),
            Self::FourFifths(most) => (per_cent(four_fifths), four_fifths <= most),
            Self::Saved(least) => (per_cent(figures.saved), least <= figures.saved),
            Self::Cheap(least) => (per_cent(figures.cheap_score), least <= figures.cheap_score),
        }
    }
}
