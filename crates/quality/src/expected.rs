//! What the calibrated estimator expects of each model on a turn, weighed and recommended by the rule of the store
//! itself: one search answers for every weight of cost.

use contracts::{ModelId, Recommendation, Score, views::Estimator};
use patterns::{Estimate, rank_by_utility, recommendation};

use crate::{
    gate::Gate,
    number::{billionths, share},
};

/// The thresholds the estimator has by default.
const GATE: Gate = Gate::of(Estimator::Calibrated);

/// What is expected of each model on a turn.
#[derive(Debug)]
pub(crate) struct Expected<'a> {
    /// Of the set, in its order.
    models: &'a [ModelId],
    /// Of the models of which something is known.
    estimates: Vec<Estimate>,
}

/// Who acts at one weight of cost, as places in the models of the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The model of the greatest utility.
    pub(crate) best: Option<usize>,
    /// The recommended one, when the recommendation passes the thresholds.
    pub(crate) recommended: Option<usize>,
}

/// A recommendation and the model it is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    /// The model.
    pub(crate) model: usize,
    /// The one that would act otherwise or, where that one is recommended, the runner-up.
    pub(crate) other: usize,
    /// How much better it is expected to be.
    pub(crate) gap: f64,
    /// The probability that it is better.
    pub(crate) confidence: f64,
}

impl<'a> Expected<'a> {
    pub(crate) const fn new(models: &'a [ModelId], estimates: Vec<Estimate>) -> Self {
        Self { models, estimates }
    }

    /// Who acts at a weight of cost when `baseline` would act without a recommendation.
    pub(crate) fn advice(&mut self, weight: f64, baseline: usize) -> Advice {
        let found = self.recommended(weight, baseline);
        let passing = found.filter(|found| GATE.passes(found.confidence, found.samples));
        Advice {
            best: self.estimates.first().and_then(|best| self.place(&best.model)),
            recommended: passing.and_then(|found| self.place(&found.model)),
        }
    }

    /// The recommendation at a weight of cost, whether or not it passes the thresholds, against the other model.
    pub(crate) fn compared(&mut self, weight: f64, baseline: usize) -> Option<Compared> {
        let found = self.recommended(weight, baseline)?;
        let given = self.models.get(baseline)?;
        let chosen = self.estimates.iter().find(|estimate| estimate.model == found.model)?;
        let mut others = self.estimates.iter().filter(|estimate| estimate.model != found.model);
        let other = match self.estimates.iter().find(|estimate| estimate.model == *given)? {
            given if given.model != found.model => given,
            _ => others.next()?,
        };
        Some(Compared {
            model: self.place(&chosen.model)?,
            other: self.place(&other.model)?,
            gap: share(Score(chosen.utility.abs_diff(other.utility))),
            confidence: share(found.confidence),
        })
    }

    /// The success expected of each model; `None` for models of which nothing is known.
    pub(crate) fn successes(&self) -> Vec<Option<f64>> {
        let mut successes = vec![None; self.models.len()];
        for estimate in &self.estimates {
            if let Some(place) = self.place(&estimate.model) {
                successes[place] = Some(share(estimate.success));
            }
        }
        successes
    }

    fn recommended(&mut self, weight: f64, baseline: usize) -> Option<Recommendation> {
        rank_by_utility(&mut self.estimates, Score(billionths(weight)));
        recommendation(&self.estimates, self.models.get(baseline), GATE.samples)
    }

    fn place(&self, model: &ModelId) -> Option<usize> {
        self.models.binary_search(model).ok()
    }
}
