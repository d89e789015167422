//! [`LearnedIntent`], a ranker with the probability from which its first skill is loaded.

use std::collections::BTreeSet;

use super::{
    ranker::{SkillRanker, TrainingRequest},
    ranking::SkillRanking,
};
use crate::{cases::RoutingCase, index::SkillIndex};

/// The least number of usable cases from which the ranker replaces the words of descriptions. With fewer, a threshold
/// depends on single cases.
const MIN_CASES: usize = 20;

/// The least precision of loading on cases that were not in training, in percent (003 Telemetry).
const LEAST_PRECISION: usize = 85;

/// The least share of cases without a skill that load none, in percent.
const LEAST_LEFT_ALONE: usize = 90;

/// The number of parts of the cross-validation.
const FOLDS: usize = 5;

/// The number of cases from which one part is enough.
const CASES_FOR_ONE_FOLD: usize = 2_000;

/// A ranker that was trained on labelled cases, with the probability from which its first skill is loaded.
///
/// The probability is chosen on rankings of cases by rankers that were not trained on them: the lowest with which at
/// least 85 % of the loaded skills are right and at least 90 % of the cases without a skill load none. If there is none, it
/// is the one with the greatest precision.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedIntent {
    /// The ranker, trained on all cases.
    ranker: SkillRanker,
    /// The least probability, in parts per 10,000.
    load_from: u16,
}

impl LearnedIntent {
    /// Trains on labelled cases; `None` if fewer than 20 of them have a skill of the index or need none. Equal skills and
    /// cases give equal results on every machine.
    pub fn train(index: &SkillIndex, cases: &[RoutingCase]) -> Option<Self> {
        let all: Vec<&RoutingCase> = cases.iter().collect();
        let ranker = SkillRanker::train(index, &requests(&all));
        if ranker.requests() < MIN_CASES {
            return None;
        }
        let mut held_out = Vec::new();
        let folds = if cases.len() < CASES_FOR_ONE_FOLD { FOLDS } else { 1 };
        for fold in 0..folds {
            let is_held_out = |position: &usize| position % FOLDS == fold;
            let part = |wanted: bool| -> Vec<&RoutingCase> {
                let positions = (0..cases.len()).filter(|position| is_held_out(position) == wanted);
                positions.filter_map(|position| cases.get(position)).collect()
            };
            let other = SkillRanker::train(index, &requests(&part(false)));
            held_out.extend(part(true).into_iter().map(|case| HeldOutCase::new(case, &other.rank(&case.prompt, 1))));
        }
        Some(Self { ranker, load_from: choose_threshold(&held_out) })
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

/// Returns the training requests of cases: each with its first expected skill, or none.
fn requests<'a>(cases: &[&'a RoutingCase]) -> Vec<TrainingRequest<'a>> {
    let request = |case: &&'a RoutingCase| TrainingRequest {
        text: &case.prompt,
        skill: case.expected.first().map(String::as_str),
    };
    cases.iter().map(request).collect()
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
    // The right and all loaded skills of the best threshold so far.
    let mut best = (0, 1, u16::MAX);
    for threshold in thresholds {
        let loaded = || cases.iter().filter(|case| threshold <= case.probability);
        let (right, all) = (loaded().filter(|case| case.is_right).count(), loaded().count());
        let needing_none = cases.iter().filter(|case| !case.needs_skill).count();
        let left_alone = needing_none - loaded().filter(|case| !case.needs_skill).count();
        if LEAST_PRECISION * all <= 100 * right && LEAST_LEFT_ALONE * needing_none <= 100 * left_alone && 0 < all {
            return threshold;
        }
        if best.0 * all < right * best.1 {
            best = (right, all, threshold);
        }
    }
    best.2
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
        assert_eq!(LearnedIntent::train(&index(), &cases([6, 6, 6])), None);
    }

    /// SC-45: the threshold is the lowest one with the precision and the share of cases left alone that are required.
    #[test]
    fn the_lowest_sufficient_threshold_is_chosen() {
        let case = |probability, is_right, needs_skill| HeldOutCase { probability, is_right, needs_skill };
        let mut held_out = vec![case(100, false, true), case(300, true, true), case(900, true, true)];
        assert_eq!(choose_threshold(&held_out), 300);
        held_out.push(case(500, false, false));
        assert_eq!(choose_threshold(&held_out), 900);
        assert_eq!(choose_threshold(&[case(400, false, true)]), u16::MAX);
        assert_eq!(choose_threshold(&[]), u16::MAX);
    }
}
