//! Whether what is expected comes true: expected success against real, and confidence against being right.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    number::number,
    trial::{Bet, Trial},
};

/// Groups of fewer turns say too little about what a recommendation brings on average.
const FEWEST_IN_GROUP: usize = 20;

/// Whether what the store says comes true.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The mean distance of expected and real success: ECE.
    pub success_error: f64,
    /// The expected success of all models on all turns, and the real one.
    pub success: Vec<Bin>,
    /// By confidence, on the turns where the two models have different scores: how often the recommended one did better.
    pub confidence: Vec<Bin>,
    /// By confidence, on groups of turns with the same two models: how often the recommended one was better on average.
    pub groups: Vec<Bin>,
    /// The mean gain that was expected of the recommended model over the other...
    pub expected_gain: f64,
    /// ... and what it was.
    pub gain: f64,
}

impl Calibration {
    /// Of all draws of a trial.
    pub(crate) fn of(trials: &[Trial<'_>]) -> Self {
        let successes: Vec<_> = trials.iter().flat_map(|trial| trial.successes.iter().copied()).collect();
        let bets: Vec<&Bet> = trials.iter().flat_map(|trial| &trial.bets).collect();
        let decided = bets.iter().filter(|bet| bet.scored != 0.0);
        let right: Vec<_> = decided.map(|bet| (bet.confidence, one_if(0.0 < bet.scored))).collect();
        let groups: Vec<_> = trials.iter().flat_map(groups).collect();
        let success = bins(&successes);
        let count = number(bets.len().max(1));
        Self {
            success_error: error(&success),
            success,
            confidence: bins(&right),
            groups: bins(&groups),
            expected_gain: bets.iter().map(|bet| bet.expected).sum::<f64>() / count,
            gain: bets.iter().map(|bet| bet.gained).sum::<f64>() / count,
        }
    }
}

/// Turns of one replay with the same two models and about the same confidence: that, and whether they gained.
fn groups(trial: &Trial<'_>) -> Vec<(f64, f64)> {
    let mut groups: BTreeMap<_, Vec<&Bet>> = BTreeMap::new();
    for bet in &trial.bets {
        groups.entry((bet.models, tenth(bet.confidence))).or_default().push(bet);
    }
    let large = groups.into_values().filter(|bets| FEWEST_IN_GROUP <= bets.len());
    let group = |bets: Vec<&Bet>| {
        let confidence = bets.iter().map(|bet| bet.confidence).sum::<f64>() / number(bets.len());
        (confidence, one_if(0.0 < bets.iter().map(|bet| bet.gained).sum()))
    };
    large.map(group).collect()
}

fn one_if(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// A range of predictions and what came of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// How many.
    pub count: usize,
    /// The mean of what was predicted.
    pub predicted: f64,
    /// The mean of what happened.
    pub happened: f64,
}

/// Ten bins of equal width from 0 to 1 over pairs of predicted and happened; empty ones are dropped.
pub(crate) fn bins(pairs: &[(f64, f64)]) -> Vec<Bin> {
    let mut sums = [(0, 0.0, 0.0); 10];
    for (predicted, happened) in pairs {
        let sum = &mut sums[tenth(*predicted)];
        *sum = (sum.0 + 1, sum.1 + predicted, sum.2 + happened);
    }
    let bin = |(count, predicted, happened): (usize, f64, f64)| Bin {
        count,
        predicted: predicted / number(count),
        happened: happened / number(count),
    };
    sums.into_iter().filter(|sum| sum.0 != 0).map(bin).collect()
}

/// The mean distance between what was predicted and what happened, over bins by their size: ECE.
pub(crate) fn error(bins: &[Bin]) -> f64 {
    let all: usize = bins.iter().map(|bin| bin.count).sum();
    let off = bins.iter().map(|bin| number(bin.count) * (bin.predicted - bin.happened).abs());
    off.sum::<f64>() / number(all.max(1))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 9")]
fn tenth(share: f64) -> usize {
    ((share * 10.0) as usize).min(9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_distance_in_each_bin_weighed_by_its_size() {
        // Two in the first bin, 0.05 expected and half happened; two in the last, which all came true.
        let bins = bins(&[(0.04, 0.0), (0.06, 1.0), (1.0, 1.0), (0.96, 1.0)]);
        let sizes: Vec<_> = bins.iter().map(|bin| bin.count).collect();
        assert_eq!(sizes, [2, 2]);
        assert!((error(&bins) - f64::midpoint(0.45, 0.02)).abs() < 1e-12);
    }
}
