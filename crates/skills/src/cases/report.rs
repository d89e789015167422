//! Compares decisions with the labels of cases.

use std::collections::BTreeMap;

use contracts::SkillOutcome;
use serde::Serialize;

use super::RoutingCase;
use crate::rate::Rate;

/// The unit of [`CasesReport::mean_f1`].
const WHOLE: u64 = 10_000;

/// How well decisions agree with labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CasesReport {
    /// The number of cases.
    pub cases: u64,
    /// The loaded skills that a case expects or accepts, of all loaded skills.
    pub precision: Rate,
    /// The expected skills that are loaded, of all expected skills. An acceptable skill replaces an expected one.
    pub recall: Rate,
    /// The cases with an expected skill that is not loaded, of the cases that expect one.
    pub missed: Rate,
    /// The cases with a loaded skill that is neither expected nor acceptable, of all cases.
    pub unnecessary: Rate,
    /// The cases that need no skill and load one, of the cases that need none.
    pub false_positives: Rate,
    /// The cases in which the user is asked or a skill is deferred, of all cases.
    pub undecided: Rate,
    /// The mean over all cases of the F1 of the set of loaded skills, in 1/10,000; 0 without cases.
    pub mean_f1: u64,
    /// The skills that are loaded in place of others, most frequent first.
    pub confused: Vec<ConfusedSkills>,
}

/// A skill that is loaded in place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfusedSkills {
    /// The expected skill; `None` if the cases need none.
    pub expected: Option<String>,
    /// The loaded skill; `None` if none is loaded.
    pub loaded: Option<String>,
    /// The lines of the cases.
    pub lines: Vec<u32>,
}

impl CasesReport {
    /// Compares each case with the outcome of its decision.
    pub fn new<'a>(results: impl IntoIterator<Item = (&'a RoutingCase, &'a SkillOutcome)>) -> Self {
        let mut report = Self::default();
        let mut confused = BTreeMap::new();
        let mut f1 = 0;
        for (case, outcome) in results {
            f1 += report.add(case, outcome, &mut confused);
        }
        report.mean_f1 = f1.checked_div(report.cases).unwrap_or_default();
        report.confused = confused
            .into_iter()
            .map(|((expected, loaded), lines)| ConfusedSkills { expected, loaded, lines })
            .collect();
        report.confused.sort_by_key(|pair| std::cmp::Reverse(pair.lines.len()));
        report
    }

    /// Adds a case and returns its F1 in 1/10,000.
    fn add(&mut self, case: &RoutingCase, outcome: &SkillOutcome, confused: &mut Confusions) -> u64 {
        let loaded = outcome.loaded();
        let is_good = |name: &&String| case.expected.contains(name) || case.acceptable.contains(name);
        let good = loaded.iter().filter(is_good).count() as u64;
        let expected = case.expected.len() as u64;
        let found = good.min(expected);
        let all = loaded.len() as u64;
        self.cases += 1;
        count(&mut self.precision, good, all);
        count(&mut self.recall, found, expected);
        count(&mut self.unnecessary, u64::from(good < all), 1);
        count(
            &mut self.undecided,
            u64::from(matches!(outcome, SkillOutcome::Ask { .. } | SkillOutcome::Defer { .. })),
            1,
        );
        if expected == 0 {
            count(&mut self.false_positives, u64::from(good < all), 1);
        } else {
            count(&mut self.missed, u64::from(found < expected), 1);
        }
        let wrong: Vec<&String> = loaded.iter().filter(|name| !is_good(name)).collect();
        let lacking: Vec<&String> = if found < expected {
            case.expected.iter().filter(|name| !loaded.contains(name)).collect()
        } else {
            Vec::new()
        };
        for pair in 0..wrong.len().max(lacking.len()) {
            let name = |names: &[&String]| names.get(pair).map(|name| (*name).clone());
            confused.entry((name(&lacking), name(&wrong))).or_default().push(case.line);
        }
        match (expected, all) {
            (0, _) => {
                if good == all {
                    WHOLE
                } else {
                    0
                }
            }
            _ => (2 * good * found * WHOLE).checked_div(good * expected + found * all).unwrap_or_default(),
        }
    }
}

/// The lines of the cases of each pair of an expected and a loaded skill.
type Confusions = BTreeMap<(Option<String>, Option<String>), Vec<u32>>;

/// Adds a number and a total to a rate.
fn count(rate: &mut Rate, number: u64, total: u64) {
    rate.count += number;
    rate.total += total;
}
