//! The estimates of the store for a turn. They are ranked for each cost weight without another search.

use contracts::{ModelId, Recommendation, Score, views::Estimator};
use patterns::{Estimate, rank_by_utility, recommendation};

use crate::{
    gate::Gate,
    number::{billionths, share},
};

/// The default thresholds of the estimator.
const GATE: Gate = Gate::of(Estimator::Calibrated);

/// The estimates of the store for one turn.
#[derive(Debug)]
pub(crate) struct Expected<'a> {
    /// The models of the set, in its order.
    models: &'a [ModelId],
    /// The estimates of models with outcomes.
    estimates: Vec<Estimate>,
}

/// The selected models at one cost weight, as indices of the models of the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Advice {
    /// The model of the greatest utility.
    pub(crate) best: Option<usize>,
    /// The recommended model, if the recommendation passes the thresholds.
    pub(crate) recommended: Option<usize>,
}

/// A recommended model and the model it is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    /// The index of the recommended model.
    pub(crate) model: usize,
    /// The baseline, or the second-best model if the baseline is recommended.
    pub(crate) other: usize,
    /// The absolute difference in expected utility between `model` and `other`.
    pub(crate) gap: f64,
    /// The confidence of the recommendation.
    pub(crate) confidence: f64,
}

impl<'a> Expected<'a> {
    pub(crate) const fn new(models: &'a [ModelId], estimates: Vec<Estimate>) -> Self {
        Self { models, estimates }
    }

    /// Selects models at the cost weight `weight`. `baseline` is the model that is used without a recommendation.
    pub(crate) fn advice(&mut self, weight: f64, baseline: usize) -> Advice {
        let found = self.recommended(weight, baseline);
        let passing = found.filter(|found| GATE.passes(found.confidence, found.samples));
        Advice {
            best: self.estimates.first().and_then(|best| self.place(&best.model)),
            recommended: passing.and_then(|found| self.place(&found.model)),
        }
    }

    /// Compares the recommended model with the baseline or the second best at a cost weight, whether or not it passes
    /// the thresholds; `None` without a recommendation.
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

    /// Returns the expected success of each model; `None` for models without outcomes.
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
