//! Limits of revisions: a ceiling for each criticality, and a plateau of the scores (000 AP-04, 002 Circuit Breaker).

use contracts::Criticality;
use serde::{Deserialize, Serialize};

/// The limits of the revisions of a deliverable. Scores are in parts per 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationLimits {
    /// The number of iterations before which revisions are not stopped.
    pub min: u32,
    /// The highest number of iterations.
    pub max: u32,
    /// The improvement on the best score so far that is progress.
    pub min_delta: u32,
    /// The number of iterations without progress in a row that is a plateau.
    pub plateau: u32,
}

impl IterationLimits {
    /// Returns the limits of a criticality.
    pub const fn of(criticality: Criticality) -> Self {
        match criticality {
            Criticality::C1 => Self { min: 1, max: 3, min_delta: 200, plateau: 2 },
            Criticality::C2 => Self { min: 3, max: 5, min_delta: 100, plateau: 3 },
            Criticality::C3 => Self { min: 3, max: 7, min_delta: 100, plateau: 3 },
            Criticality::C4 => Self { min: 3, max: 10, min_delta: 100, plateau: 3 },
        }
    }
}

/// Reason why revisions are stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IterationStop {
    /// The scores no longer improve.
    Plateau {
        /// The number of the last iteration, from 1.
        iteration: u32,
    },
    /// The highest number of iterations is reached.
    Ceiling {
        /// The number of the last iteration, from 1.
        iteration: u32,
    },
}

/// Returns the first reason to stop revisions with these scores, in parts per 10,000 and in the order of the iterations;
/// `None` if they may continue.
///
/// Progress is measured against the best score so far, so that scores that alternate are a plateau as well. A plateau
/// precedes the ceiling at the same iteration.
pub fn stop_of_iterations(scores: &[u32], limits: &IterationLimits) -> Option<IterationStop> {
    let mut best = None;
    let mut without_progress = 0;
    for (iteration, score) in (1..).zip(scores) {
        let has_progress = best.is_none_or(|best: u32| best.saturating_add(limits.min_delta) <= *score);
        without_progress = if has_progress { 0 } else { without_progress + 1 };
        best = best.max(Some(*score));
        if limits.min <= iteration && limits.plateau <= without_progress {
            return Some(IterationStop::Plateau { iteration });
        }
        if limits.max <= iteration {
            return Some(IterationStop::Ceiling { iteration });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the reason to stop at scores of a criticality.
    fn stop(criticality: Criticality, scores: &[u32]) -> Option<IterationStop> {
        stop_of_iterations(scores, &IterationLimits::of(criticality))
    }

    /// SK-73, TV-22: scores that alternate between 0.89 and 0.90 stop at the fifth iteration.
    #[test]
    fn alternating_scores_are_a_plateau() {
        let scores = [8_900, 9_000, 8_900, 9_000, 8_900];
        assert_eq!(stop(Criticality::C3, &scores), Some(IterationStop::Plateau { iteration: 5 }));
        assert_eq!(stop(Criticality::C3, &scores[..4]), None);
    }

    /// SK-73: the ceilings are 3, 5, 7 and 10 iterations.
    #[test]
    fn each_criticality_has_a_ceiling() {
        let improving: Vec<u32> = (0..10).map(|step| 5_000 + 300 * step).collect();
        let ceilings = Criticality::ALL.map(|criticality| stop(criticality, &improving));
        assert_eq!(ceilings, [3, 5, 7, 10].map(|iteration| Some(IterationStop::Ceiling { iteration })));
        assert_eq!(stop(Criticality::C2, &improving[..4]), None);
    }

    /// SK-73, HO-103, HO-105, HO-106: the improvement that is progress depends on the criticality.
    #[test]
    fn small_improvements_are_a_plateau() {
        let plateau = |iteration| Some(IterationStop::Plateau { iteration });
        assert_eq!(stop(Criticality::C1, &[8_000, 8_100, 8_150]), plateau(3));
        assert_eq!(stop(Criticality::C3, &[8_500, 8_800, 8_850, 8_880, 8_900]), plateau(5));
        assert_eq!(stop(Criticality::C4, &[9_000; 4]), plateau(4));
    }
}
