//! Decisions on the labelled cases of skill authors, and on everyday requests.
//!
//! The cases of a folder are divided by the SHA-256 hash of the prompt into a half for training and one for testing. The
//! decision is that of the product with the default policy, except that the user cannot be asked. It is measured on the
//! training half by cross-validation, which is what parameters are chosen by, and on the test half.

use serde::Serialize;
use skills::{
    CasesReport, Rate, RoutingCase, SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources, decide,
};

use super::{everyday, skill_folder::SkillFolder};
use crate::{failure::Failure, hash::hash};

/// The number of parts of the cross-validation.
const FOLDS: usize = 10;

/// What decides on a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseMethod {
    /// The default policy without labelled cases.
    Descriptions,
    /// The default policy with the cases for training: keywords decide before learned probabilities.
    Trained,
    /// The same without the layer of keywords, which are then evidence like the descriptions.
    TrainedWithoutKeywords,
}

/// The measurements on the labelled cases of one folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseReport {
    /// The name of the folder.
    pub folder: String,
    /// The number of skills.
    pub skills: usize,
    /// The measurements of each method.
    pub trials: Vec<CaseTrial>,
}

/// The measurements of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseTrial {
    /// The method.
    pub method: CaseMethod,
    /// The least probability with which a skill is loaded, in parts per 10,000; `None` if nothing is learned.
    pub load_from: Option<u16>,
    /// The decisions on the training half, each without the case in training; `None` in a reduced measurement.
    pub cross_validated: Option<CasesReport>,
    /// The decisions on the test half after training on the training half.
    pub tested: CasesReport,
    /// The everyday requests that load a skill, of all.
    pub everyday: Rate,
}

/// Measures all methods on the cases of one folder. A reduced measurement omits the cross-validation.
///
/// # Errors
/// [`Failure::Cases`] if the skills cannot be prepared for decisions.
pub(super) fn measure_folder(folder: &SkillFolder, is_reduced: bool) -> Result<CaseReport, Failure> {
    let is_in_training = |case: &RoutingCase| hash("", &case.prompt) >> 63 == 1;
    let (train, test): (Vec<_>, Vec<_>) = folder.cases.iter().cloned().partition(is_in_training);
    let methods = [CaseMethod::Descriptions, CaseMethod::Trained, CaseMethod::TrainedWithoutKeywords];
    let trials: Result<Vec<_>, Failure> = methods
        .into_iter()
        .map(|method| {
            let router = method.prepare(&folder.index, &train)?;
            let cross_validated = (!is_reduced).then(|| cross_validate(method, &folder.index, &train)).transpose()?;
            let loads = everyday::REQUESTS.iter().filter(|text| !outcome(&router, text).loaded().is_empty()).count();
            Ok(CaseTrial {
                method,
                load_from: router.learned().map(skills::LearnedIntent::load_from),
                cross_validated,
                tested: report(&[(&router, test.iter().collect())]),
                everyday: Rate::new(loads as u64, everyday::REQUESTS.len() as u64),
            })
        })
        .collect();
    Ok(CaseReport { folder: folder.name.clone(), skills: folder.index.skills().len(), trials: trials? })
}

impl CaseMethod {
    /// Prepares the skills for decisions, after training on `cases` if the method does so.
    fn prepare(self, index: &SkillIndex, cases: &[RoutingCase]) -> Result<SkillRouter, Failure> {
        let cases = if self == Self::Descriptions { Vec::new() } else { cases.to_vec() };
        let sources = SkillSources { index: index.clone(), cases, ..SkillSources::default() };
        let mut settings = SkillSettings::default();
        settings.layers.keyword = self != Self::TrainedWithoutKeywords;
        SkillRouter::new(sources, settings).map_err(|error| Failure::Cases { finding: error.to_string() })
    }
}

/// Decides on each case with a router that was not trained on it.
fn cross_validate(method: CaseMethod, index: &SkillIndex, cases: &[RoutingCase]) -> Result<CasesReport, Failure> {
    let mut routers = Vec::with_capacity(FOLDS);
    for fold in 0..FOLDS {
        let part = |is_part: bool| {
            let numbered = cases.iter().enumerate();
            numbered.filter(move |(number, _)| (number % FOLDS == fold) == is_part).map(|(_, case)| case)
        };
        let others: Vec<RoutingCase> = part(false).cloned().collect();
        routers.push((method.prepare(index, &others)?, part(true).collect()));
    }
    let routers: Vec<_> = routers.iter().map(|(router, cases): &(_, Vec<_>)| (router, cases.clone())).collect();
    Ok(report(&routers))
}

/// Decides on cases with the router of each, and compares the outcomes with the labels.
fn report(parts: &[(&SkillRouter, Vec<&RoutingCase>)]) -> CasesReport {
    let decided =
        parts.iter().flat_map(|(router, cases)| cases.iter().map(|case| (*case, outcome(router, &case.prompt))));
    let decided: Vec<_> = decided.collect();
    CasesReport::new(decided.iter().map(|(case, outcome)| (*case, outcome)))
}

/// Returns the outcome of the decision on a request; no skill if the chain has none.
fn outcome(router: &SkillRouter, text: &str) -> contracts::SkillOutcome {
    let request = SkillRequest { text, ..SkillRequest::default() };
    decide(&request, router).chosen.unwrap_or(contracts::SkillOutcome::None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skills::Skill;

    /// Labels teach words that no description has, and everyday requests load nothing.
    #[test]
    fn training_finds_what_descriptions_do_not() {
        let skill = |name: &str, description: &str| Skill {
            name: name.to_owned(),
            description: description.to_owned(),
            ..Skill::default()
        };
        let case = |number: u32, prompt: String, skill: Option<&str>| RoutingCase {
            line: number,
            prompt,
            expected: skill.map(str::to_owned).into_iter().collect(),
            acceptable: Vec::new(),
        };
        let cases = (0..40).flat_map(|number| {
            [
                case(number, format!("bake the cake number {number}"), Some("oven")),
                case(number, format!("wash the shirts of day {number}"), Some("laundry")),
                case(number, format!("what is the time in town {number}"), None),
            ]
        });
        let folder = SkillFolder {
            name: "home".to_owned(),
            index: SkillIndex::new(vec![skill("oven", "Heats."), skill("laundry", "Cleans and runs tests.")]),
            cases: cases.collect(),
        };
        let report = measure_folder(&folder, false).unwrap();
        let [descriptions, trained, _] = report.trials.as_slice() else { panic!("{report:?}") };
        assert_eq!(
            (descriptions.tested.missed.count, descriptions.everyday.count),
            (descriptions.tested.missed.total, 0)
        );
        let (tested, held_out) = (&trained.tested, trained.cross_validated.as_ref().unwrap());
        assert!(trained.load_from.is_some() && tested.false_positives.count == 0, "{trained:?}");
        assert!(!tested.missed.exceeds_percent(10) && !held_out.missed.exceeds_percent(10), "{trained:?}");
    }
}
