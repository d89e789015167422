//! [`LearnedIntent`], a ranker with the probability from which its first skill is loaded.

use std::collections::BTreeSet;

use super::{
    ranker::{SkillRanker, TrainingRequest},
    ranking::SkillRanking,
};
use crate::{cases::RoutingCase, index::SkillIndex};

/// The least number of usable cases from which the ranker replaces the words of descriptions. With fewer, a threshold
/// depends on single cases.
const MIN_CASES: usize = 10;

/// The least precision of loading on cases that were not in training, in percent (003 Telemetry).
const LEAST_PRECISION: usize = 85;

/// The least share of cases without a skill that load none, in percent.
const LEAST_LEFT_ALONE: usize = 90;

/// A ranker that was trained on labelled cases, with the probability from which its first skill is loaded.
///
/// The probability is chosen on rankings of the cases by classifiers that were not trained on them: at least 85 % of the
/// loaded skills are right, at least 90 % of the cases without a skill load none, and the most right skills are loaded. Of
/// several such probabilities it is the highest, so that texts unlike all cases load nothing, less half of the distance to the
/// next lower case. If there is none, it is the one with the greatest precision.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedIntent {
    /// The ranker, trained on all cases.
    ranker: SkillRanker,
    /// The least probability, in parts per 10,000.
    load_from: u16,
}

impl LearnedIntent {
    /// Trains on labelled cases; `None` if fewer than 10 of them have a skill of the index or need none. Equal skills and
    /// cases give equal results on every machine.
    pub fn train(index: &SkillIndex, cases: &[RoutingCase]) -> Option<Self> {
        // The training also reads the descriptions of all skills, so that its duration grows with their square.
        if cases.len() < MIN_CASES {
            return None;
        }
        let requests: Vec<_> = cases.iter().map(training_request).collect();
        let (ranker, rankings) = SkillRanker::train_held_out(index, &requests);
        if ranker.requests() < MIN_CASES {
            return None;
        }
        let held_out = rankings
            .iter()
            .filter_map(|held_out| cases.get(held_out.request).map(|case| HeldOutCase::new(case, &held_out.ranking)));
        let load_from = choose_threshold(&held_out.collect::<Vec<_>>());
        Some(Self { ranker, load_from })
    }

    /// Returns the least probability, in parts per 10,000, with which the first skill is loaded.
    pub const fn load_from(&self) -> u16 {
        self.load_from
    }

    /// Ranks all skills for a text.
    pub fn rank(&self, text: &str) -> SkillRanking {
        self.ranker.rank(text, usize::MAX)
    }
}

/// Returns the training request of a case: with its first expected skill, or none.
fn training_request(case: &RoutingCase) -> TrainingRequest<'_> {
    TrainingRequest { text: &case.prompt, skill: case.expected.first().map(String::as_str) }
}

/// The first skill for a case that was not in training.
#[derive(Debug, Clone, Copy)]
struct HeldOutCase {
    /// The probability of the skill, in parts per 10,000; 0 if "no skill" is more probable.
    probability: u16,
    /// Whether the skill is expected or acceptable.
    is_right: bool,
    /// Whether the case needs a skill.
    needs_skill: bool,
}

impl HeldOutCase {
    /// Compares the first skill of a ranking with the labels.
    fn new(case: &RoutingCase, ranking: &SkillRanking) -> Self {
        let first = ranking.skills.first();
        let is_right = |name: &String| case.expected.contains(name) || case.acceptable.contains(name);
        Self {
            probability: first.map_or(0, |first| first.probability).saturating_mul(u16::from(!ranking.needs_none())),
            is_right: first.is_some_and(|first| is_right(&first.name)),
            needs_skill: !case.expected.is_empty(),
        }
    }
}

/// Chooses the least probability for loading, as [`LearnedIntent`] describes it; at least 1.
fn choose_threshold(cases: &[HeldOutCase]) -> u16 {
    let thresholds: BTreeSet<u16> = cases.iter().map(|case| case.probability.max(1)).collect();
    let needing_none = cases.iter().filter(|case| !case.needs_skill).count();
    let mut sufficient: Option<Loads> = None;
    let mut most_precise = Loads { right: 0, all: 1, threshold: u16::MAX };
    let mut below = 0;
    for threshold in thresholds {
        let loaded = || cases.iter().filter(|case| threshold <= case.probability);
        let (right, all) = (loaded().filter(|case| case.is_right).count(), loaded().count());
        let loads = Loads { right, all, threshold: threshold - (threshold - below) / 2 };
        below = threshold;
        let left_alone = needing_none - loaded().filter(|case| !case.needs_skill).count();
        let is_precise = 0 < loads.all && LEAST_PRECISION * loads.all <= 100 * loads.right;
        let is_sufficient = is_precise && LEAST_LEFT_ALONE * needing_none <= 100 * left_alone;
        if is_sufficient && sufficient.is_none_or(|best| best.right <= loads.right) {
            sufficient = Some(loads);
        }
        if most_precise.right * loads.all < loads.right * most_precise.all {
            most_precise = loads;
        }
    }
    sufficient.unwrap_or(most_precise).threshold
}

/// The skills that a threshold loads for cases that were not in training.
#[derive(Debug, Clone, Copy)]
struct Loads {
    /// The number of loaded skills that are right.
    right: usize,
    /// The number of loaded skills.
    all: usize,
    /// The threshold.
    threshold: u16,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::Skill;

    /// Creates cases, of which the first number needs the skill `a`, the second `b`, and the third none.
    fn cases(numbers: [usize; 3]) -> Vec<RoutingCase> {
        let texts =
            [("chart the quarterly revenue", Some("a")), ("translate the letter", Some("b")), ("thank you", None)];
        let of = |((text, skill), count): (&(&str, Option<&str>), usize)| {
            let case = RoutingCase {
                line: 1,
                prompt: (*text).to_owned(),
                expected: skill.map(str::to_owned).into_iter().collect(),
                acceptable: Vec::new(),
            };
            std::iter::repeat_n(case, count).collect::<Vec<_>>()
        };
        texts.iter().zip(numbers).flat_map(of).collect()
    }

    /// Creates an index of two skills without descriptions.
    fn index() -> SkillIndex {
        SkillIndex::new(["a", "b"].map(|name| Skill { name: name.to_owned(), ..Skill::default() }).into())
    }

    /// C-42: labelled cases load the skills that they name, and leave requests without a skill alone.
    #[test]
    fn cases_teach_what_is_loaded() {
        let learned = LearnedIntent::train(&index(), &cases([12, 12, 12])).unwrap();
        for (text, skill) in [("chart the revenue", "a"), ("translate this letter", "b")] {
            let ranking = learned.rank(text);
            assert_eq!(ranking.skills[0].name, skill, "{text}");
            assert!(learned.load_from() <= ranking.skills[0].probability && !ranking.needs_none(), "{ranking:?}");
        }
        assert!(learned.rank("thank you").needs_none());
        assert_eq!(LearnedIntent::train(&index(), &cases([3, 3, 3])), None);
    }

    /// SC-45: the threshold loads the most right skills with the precision and the share of cases left alone that are
    /// required.
    #[test]
    fn the_sufficient_threshold_with_most_right_skills_is_chosen() {
        let case = |probability, is_right, needs_skill| HeldOutCase { probability, is_right, needs_skill };
        let mut held_out = vec![case(100, false, true), case(300, true, true), case(900, true, true)];
        assert_eq!(choose_threshold(&held_out), 200);
        held_out.push(case(500, false, false));
        assert_eq!(choose_threshold(&held_out), 700);
        assert_eq!(choose_threshold(&[case(0, false, false), case(700, true, true), case(800, true, true)]), 351);
        assert_eq!(choose_threshold(&[case(400, false, true)]), u16::MAX);
        assert_eq!(choose_threshold(&[]), u16::MAX);
    }
}
