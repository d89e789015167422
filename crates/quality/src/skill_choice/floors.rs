//! Floors of the figures, which `cargo xtask ci` checks: the measured figures, less a margin for changes without effect.

use super::{
    SkillReport,
    cases::{CaseMethod, CaseTrial},
    format::{share, target_trial},
    trial::SkillTrial,
};
use crate::failure::Failure;

/// A floor of a public set: the name of the set, the name of the figure, its least value, whether it applies to all
/// training requests (or to descriptions alone), and the figure.
type SetFloor = (&'static str, &'static str, f64, bool, fn(&SkillTrial) -> Option<f64>);

/// The floors of the public sets.
const SETS: [SetFloor; 6] = [
    ("clinc150", "hit@1, trained", 0.924, true, |trial| Some(trial.figures.hit_1)),
    ("clinc150", "AUROC, trained", 0.946, true, |trial| trial.figures.auroc),
    ("clinc150", "hit@1, descriptions", 0.464, false, |trial| Some(trial.figures.hit_1)),
    ("metatool", "hit@1, trained", 0.740, true, |trial| Some(trial.figures.hit_1)),
    ("metatool", "AUROC, trained", 0.923, true, |trial| trial.figures.auroc),
    ("metatool", "hit@1, descriptions", 0.486, false, |trial| Some(trial.figures.hit_1)),
];

/// A floor of the labelled cases: the name of the folder, the name of the figure, its least value, and the figure.
type CaseFloor = (&'static str, &'static str, f64, fn(&CaseTrial) -> Option<f64>);

/// The floors of the labelled cases, for decisions after training.
const CASES: [CaseFloor; 2] = [
    ("dotnet-artisan", "precision", 0.85, |trial| share(trial.tested.precision)),
    ("jerry", "precision", 0.80, |trial| share(trial.tested.precision)),
];

/// Checks the figures of every set and folder that has a floor. Of everyday requests none may load a skill without
/// training.
///
/// # Errors
/// [`Failure::BelowFloor`] with every figure that is below its floor.
pub fn check_floors(report: &SkillReport) -> Result<(), Failure> {
    let mut figures = Vec::new();
    let mut check = |name: &str, figure: &str, least: f64, measured: Option<f64>| {
        if measured.is_none_or(|measured| measured < least) {
            let measured = measured.map_or_else(|| "no data".to_owned(), |measured| format!("{measured:.4}"));
            figures.push(format!("{name} {figure} {measured} (at least {least:.3})"));
        }
    };
    for (name, figure, least, is_trained, value) in SETS {
        if let Some(set) = report.sets.iter().find(|set| set.set == name) {
            check(name, figure, least, target_trial(set, is_trained).and_then(value));
        }
    }
    for folder in &report.cases {
        let trial = |method| folder.trials.iter().find(|trial| trial.method == method);
        for (name, figure, least, value) in CASES.iter().filter(|(name, ..)| *name == folder.folder) {
            check(name, figure, *least, trial(CaseMethod::Trained).and_then(value));
        }
        let left_alone =
            trial(CaseMethod::Descriptions).and_then(|trial| share(trial.everyday)).map(|share| 1.0 - share);
        check(&folder.folder, "everyday requests left alone", 1.0, left_alone);
    }
    if figures.is_empty() { Ok(()) } else { Err(Failure::BelowFloor { figures }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill_choice::{CaseReport, SkillReport};
    use skills::{CasesReport, Rate};

    #[test]
    fn a_folder_with_everyday_loads_is_below_its_floor() {
        let trial = |loads| CaseTrial {
            method: CaseMethod::Descriptions,
            load_from: None,
            cross_validated: None,
            tested: CasesReport::default(),
            everyday: Rate::new(loads, 40),
        };
        let report = |loads| SkillReport {
            sets: Vec::new(),
            cases: vec![CaseReport { folder: "shop".to_owned(), skills: 1, trials: vec![trial(loads)] }],
        };
        assert!(check_floors(&report(0)).is_ok());
        let error = check_floors(&report(1)).unwrap_err().to_string();
        assert_eq!(error, "below the floor: shop everyday requests left alone 0.9750 (at least 1.000)");
    }
}
