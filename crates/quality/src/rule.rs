//! From forecasts to the model that acts: what the estimators of the store recommend, at many weights of cost from one
//! search, and the thresholds behind them.
//!
//! The store answers for one weight of cost at a time. Its estimates depend on the weight in a known way, so the answer for
//! every weight is computed here; some turns of every replay are compared with the store's own answer.

use contracts::{
    Score,
    views::{Estimator, PatternSettings},
};

use crate::{
    forecast::{Forecast, best},
    normal::probability,
    number::number,
};

/// How many errors a model must be ahead to be preferred, as `patterns` has it.
const CAUTION: f64 = 0.8;

/// Closer than this, rounding to billionths may decide.
const CLOSE: f64 = 1e-4;

/// How forecasts become a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// The best forecast.
    Alone,
    /// The calibrated estimator's recommendation, when it passes the gate.
    Calibrated(Gate),
    /// That of the paper's formula, whose confidence is the lead over the second, when it passes the gate.
    Paper(Gate),
}

/// The thresholds behind an estimator: below either nothing is recommended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gate {
    confidence: f64,
    samples: u64,
}

impl Gate {
    /// Those a policy has by default.
    pub(crate) fn of(estimator: Estimator) -> Self {
        let PatternSettings { min_confidence, min_sample_size, .. } = PatternSettings::of(estimator);
        Self { confidence: share(min_confidence), samples: min_sample_size }
    }

    fn passes(&self, confidence: f64, samples: u64) -> bool {
        self.confidence <= confidence && self.samples <= samples
    }
}

impl Rule {
    /// The recommended model; nothing when there is none.
    pub(crate) fn choose(self, forecasts: &[Option<Forecast>], weight: f64, instead: usize) -> Option<usize> {
        let samples = |place: usize| forecasts[place].map_or(0, |forecast| forecast.samples);
        match self {
            Self::Alone => best(forecasts, weight),
            Self::Calibrated(gate) => {
                let found = recommended(forecasts, weight, instead, gate.samples)?;
                gate.passes(found.confidence, samples(found.model)).then_some(found.model)
            }
            Self::Paper(gate) => {
                let top = best(forecasts, weight)?;
                gate.passes(lead(forecasts, top, weight)?, samples(top)).then_some(top)
            }
        }
    }
}

/// By what part of itself the best is ahead of the second.
fn lead(forecasts: &[Option<Forecast>], top: usize, weight: f64) -> Option<f64> {
    let utility = |place: usize| forecasts[place].map(|forecast| forecast.utility(weight));
    let first = utility(top)?;
    let second = (0..forecasts.len()).filter(|place| *place != top).filter_map(utility).reduce(f64::max);
    Some(match second {
        _ if first <= 0.0 => 0.0,
        None => 1.0,
        Some(second) => (first - second) / first,
    })
}

/// A recommendation, as the calibrated estimator makes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Recommended {
    /// The model.
    pub(crate) model: usize,
    /// The one it is compared with: who would act otherwise, or the runner-up.
    pub(crate) other: Option<usize>,
    /// How much better it is expected to be.
    pub(crate) gap: f64,
    /// The probability that it is better.
    pub(crate) confidence: f64,
    /// Whether rounding may lead to another model.
    pub(crate) close: bool,
}

/// What the calibrated estimator recommends when `instead` would act otherwise.
pub(crate) fn recommended(
    forecasts: &[Option<Forecast>],
    weight: f64,
    instead: usize,
    fewest: u64,
) -> Option<Recommended> {
    let top = best(forecasts, weight)?;
    let known = || forecasts.iter().enumerate().filter_map(|(place, forecast)| Some((place, (*forecast)?)));
    let factor = number(known().count()).log2().sqrt();
    let error =
        |one: &Forecast, other: &Forecast| factor * one.utility_error(weight).hypot(other.utility_error(weight));
    let enough = |forecast: &Forecast| fewest <= forecast.outcomes;
    let highest = forecasts[top]?;
    let behind = forecasts.get(instead).copied().flatten();
    let mut close = known().any(|(place, other)| place != top && near(&highest, &other, weight));
    let (model, other) = match behind {
        Some(given) if given.utility(weight) < highest.utility(weight) => {
            let ahead = known().filter(|(_, one)| given.utility(weight) < one.utility(weight) && enough(one));
            let lead = |one: &Forecast| one.utility(weight) - given.utility(weight) - CAUTION * error(one, &given);
            let mut leads: Vec<_> = ahead.map(|(place, one)| (place, lead(&one))).collect();
            leads.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            close |= leads.windows(2).next().is_some_and(|pair| pair[0].1 - pair[1].1 < CLOSE);
            (leads.first().map_or(top, |lead| lead.0), Some(instead))
        }
        None => (top, None),
        Some(_) => {
            let others: Vec<_> = (0..forecasts.len()).map(|place| forecasts[place].filter(|_| place != top)).collect();
            (top, best(&others, weight))
        }
    };
    let chosen = forecasts[model]?;
    let against = other.and_then(|other| forecasts[other]);
    let gap = against.map_or(0.0, |other| chosen.utility(weight) - other.utility(weight));
    let confidence = match against {
        Some(other) if enough(&chosen) && enough(&other) => probability(gap, error(&chosen, &other)),
        None if behind.is_none() && enough(&chosen) => 1.0,
        _ => 0.0,
    };
    Some(Recommended { model, other, gap, confidence, close })
}

fn near(one: &Forecast, other: &Forecast, weight: f64) -> bool {
    (one.utility(weight) - other.utility(weight)).abs() < CLOSE
}

/// A score as a number from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "at most a billion")]
pub(crate) fn share(score: Score) -> f64 {
    score.0 as f64 / 1e9
}
