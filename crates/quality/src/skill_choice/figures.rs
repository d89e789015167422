//! Figures of merit of a ranking of skills.

use serde::Serialize;

use crate::numbers::to_f64;

/// The number of bins of the calibration error.
const BINS: usize = 10;

/// The answer of a method to one test request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SkillAnswer {
    /// The position of the right skill in the ranking, from 0; `None` if it is not among the first three.
    pub(super) position: Option<usize>,
    /// Whether the request needs a skill.
    pub(super) needs_skill: bool,
    /// The confidence that a skill is needed; greater is more confident.
    pub(super) confidence: f64,
    /// The probability of the most probable answer, a skill or none, and whether it is right; `None` if the method
    /// gives no probabilities.
    pub(super) probability: Option<(f64, bool)>,
}

/// The figures of a method on the test requests of a set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SkillFigures {
    /// Of the requests that need a skill, the share for which it is ranked first, from 0 to 1.
    pub hit_1: f64,
    /// Of the requests that need a skill, the share for which it is among the first three, from 0 to 1.
    pub hit_3: f64,
    /// The area under the ROC curve of the confidence that a request needs a skill, from 0 to 1; `None` if all or no
    /// requests need one.
    pub auroc: Option<f64>,
    /// The mean difference of predicted and observed frequency of right answers (expected calibration error), from 0 to
    /// 1; `None` without probabilities.
    pub calibration_error: Option<f64>,
}

impl SkillFigures {
    /// Computes the figures of answers.
    pub(super) fn new(answers: &[SkillAnswer]) -> Self {
        let (needing, others): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.needs_skill);
        let share_within = |most: usize| {
            let hits = needing.iter().filter(|answer| answer.position.is_some_and(|position| position < most)).count();
            to_f64(hits) / to_f64(needing.len().max(1))
        };
        let confidences = |answers: &[&SkillAnswer]| answers.iter().map(|answer| answer.confidence).collect::<Vec<_>>();
        let probabilities: Option<Vec<_>> = answers.iter().map(|answer| answer.probability).collect();
        Self {
            hit_1: share_within(1),
            hit_3: share_within(3),
            auroc: auroc(&confidences(&needing), &confidences(&others)),
            calibration_error: probabilities.map(|probabilities| calibration_error(&probabilities)),
        }
    }
}

/// Returns the share of pairs of a positive and a negative in which the positive is greater; equal pairs count half.
/// `None` if there are no pairs.
fn auroc(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    let mut sorted = negatives.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |positive: &f64| {
        let less = sorted.partition_point(|negative| negative < positive);
        let not_greater = sorted.partition_point(|negative| negative <= positive);
        f64::midpoint(to_f64(less), to_f64(not_greater))
    };
    Some(positives.iter().map(below).sum::<f64>() / to_f64(positives.len()) / to_f64(negatives.len()))
}

/// Returns the expected calibration error of probabilities with their outcomes, over [`BINS`] bins of equal width.
fn calibration_error(probabilities: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0); BINS];
    for (probability, is_right) in probabilities {
        let bin = (1..BINS).filter(|bin| to_f64(*bin) <= probability * to_f64(BINS)).count();
        bins[bin].0 += probability;
        bins[bin].1 += f64::from(u8::from(*is_right));
    }
    bins.iter().map(|(predicted, observed): &(f64, f64)| (predicted - observed).abs()).sum::<f64>()
        / to_f64(probabilities.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auroc_is_the_share_of_ordered_pairs() {
        assert_eq!(auroc(&[3.0, 1.0], &[2.0, 1.0]), Some(0.625));
        assert_eq!(auroc(&[1.0], &[]), None);
    }

    #[test]
    fn hits_count_requests_that_need_a_skill() {
        let answer = |position, needs_skill| SkillAnswer { position, needs_skill, confidence: 0.0, probability: None };
        let figures = SkillFigures::new(&[
            answer(Some(0), true),
            answer(Some(2), true),
            answer(None, true),
            answer(Some(1), true),
            answer(None, false),
        ]);
        assert_eq!((figures.hit_1, figures.hit_3, figures.calibration_error), (0.25, 0.75, None));
    }

    #[test]
    fn calibration_error_is_zero_if_frequencies_are_as_predicted() {
        let half = [(0.5, true), (0.5, false)];
        assert!(calibration_error(&half) < 1e-12);
        assert!((calibration_error(&[(0.9, false), (1.0, true)]) - 0.45).abs() < 1e-12);
    }
}
