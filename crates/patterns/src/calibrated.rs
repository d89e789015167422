//! The calibrated estimator: what each model would achieve on a turn, and how sure that is.
//!
//! A model's success is its mean, moved by what similar turns did better or worse than that mean, and by what words and
//! structure say; half of each. Both are held back: a few lucky neighbours do not make a winner. Cost is looked at in
//! dollars, as a part of what the dearest model costs on average.

use std::cmp::Reverse;

use contracts::{Alternative, ModelId, Recommendation, Score, views::PatternSettings};

use crate::{
    Store,
    knowledge::ModelKnowledge,
    linear::{PLACES, Seen},
    normal::probability,
    search::{Asked, Scratch},
    space::Query,
    words::logarithm,
};

/// One, with twenty binary places.
const WHOLE: i64 = 1 << PLACES;

/// Neighbours of average weight that are taken to have done as the model does in general.
const PSEUDO_NEIGHBOURS: i64 = 20;

/// How many errors ahead a model must be in the worst case to be preferred, in tenths, see [`recommendation`].
const CAUTION_TENTHS: i64 = 8;

/// What is expected of a model on a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// The model.
    pub model: ModelId,
    /// The share of success that is expected.
    pub success: Score,
    /// The model's mean in the workspace, held back towards that of all models.
    pub mean: Score,
    /// What similar turns add to it, in billionths; less than nothing where they went worse than the mean.
    pub from_neighbours: i64,
    /// What words and structure add to it, in billionths.
    pub from_words: i64,
    /// The cost that is expected, in nano-dollars; `None` when no cost of the model is known.
    pub cost: Option<u64>,
    /// How much less that is than what the dearest model costs on average, in billionths of the latter; below nothing for
    /// a turn that costs more.
    pub saved: i64,
    /// Scored turns among the neighbours.
    pub samples: u64,
    /// Scored turns of the model in the workspace.
    pub outcomes: u32,
    /// Success and cost, weighed by the policy, in billionths: at most one, and below nothing for a dear turn.
    pub worth: i64,
    /// By how much the worth may be off as far as the model's means are uncertain: one standard error.
    pub error: Score,
    /// The variance of one outcome of the model, as if two more had gone well and two badly: a streak is not certainty.
    spread: Score,
    /// The variance of the model's cost, in billionths of the square of what the dearest model costs.
    cost_spread: u64,
}

/// Sums over the neighbours of one model. Weights are squares of similarities, with twenty binary places.
#[derive(Debug, Default)]
struct Neighbourhood {
    samples: u64,
    weight: u128,
    scores: u128,
    cost_weight: u128,
    costs: u128,
}

impl Store {
    /// What is expected of every known model with a scored turn, the best first.
    ///
    /// Costs one look at every scored row of each model and at every number of the sketch.
    pub(crate) fn estimates(
        &self,
        asked: &Asked<'_>,
        sketch: &contracts::Sketch,
        settings: &PatternSettings,
        scratch: &Scratch,
    ) -> Vec<Estimate> {
        let query = Query::new(&asked.point, if asked.hybrid { settings.alpha } else { Score::ZERO });
        let models = || {
            let all = self.knowledge.models.iter().enumerate().zip(&self.models);
            all.filter(|((number, known), _)| {
                scratch.knows(u32::try_from(*number).unwrap_or(u32::MAX)) && 0 < known.sums.scored
            })
        };
        let common = self.knowledge.common_mean();
        let dearest = models().filter_map(|((_, known), _)| known.sums.cost()).max();
        let seen = Seen::new(&self.space, sketch, &asked.point.structure);
        let mut estimates: Vec<_> = models()
            .map(|((number, known), model)| {
                let near = self.neighbourhood(number, &query, settings, scratch);
                near.estimate(model, known, known.linear.at(&seen), common).compared(known, dearest)
            })
            .collect();
        weigh(&mut estimates, settings.cost_weight);
        estimates
    }

    fn neighbourhood(
        &self,
        model: usize,
        query: &Query,
        settings: &PatternSettings,
        scratch: &Scratch,
    ) -> Neighbourhood {
        let mut near = Neighbourhood::default();
        let number = u32::try_from(model).unwrap_or(u32::MAX);
        let mut nearest = self.nearest_of(model, query, settings, scratch);
        for candidate in nearest.sorted() {
            // A row that stands for many turns leaves room for fewer others.
            if u64::from(settings.neighbours) <= near.samples {
                break;
            }
            let Some(row) = self.fingerprints.get(candidate.place()).and_then(|found| found.row(number)) else {
                continue;
            };
            let weight = u128::from(candidate.similarity().pow(2) >> 10).max(1);
            let (scored, costed) = (u128::from(row.sums.scored), u128::from(row.sums.costed));
            near.samples += u64::from(row.sums.scored);
            near.weight += weight * scored;
            near.scores += weight * u128::from(row.sums.score_sum);
            near.cost_weight += weight * costed;
            near.costs += weight * u128::from(row.sums.cost_sum.0);
        }
        near
    }
}

impl Neighbourhood {
    /// The estimate before cost is weighed.
    fn estimate(&self, model: &ModelId, known: &ModelKnowledge, linear: i64, common: i64) -> Estimate {
        let mean = known.mean(common);
        // What the neighbours did beyond the mean, held back.
        let near = (self.scores << PLACES).checked_div(self.weight * 1_000_000_000);
        let beyond = near.and_then(|near| i64::try_from(near).ok()).map_or(0, |near| near - mean);
        let samples = i64::try_from(self.samples).unwrap_or(i64::MAX / 2);
        let beyond = beyond * samples / (samples + PSEUDO_NEIGHBOURS);
        let success = (mean + i64::midpoint(beyond, linear)).clamp(0, WHOLE);
        let part = |part: i64| i64::try_from(i128::from(part) * 500_000_000 / i128::from(WHOLE)).unwrap_or_default();
        Estimate {
            model: model.clone(),
            success: Score::ratio(success.unsigned_abs(), WHOLE.unsigned_abs()),
            mean: Score::ratio(mean.unsigned_abs(), WHOLE.unsigned_abs()),
            from_neighbours: part(beyond),
            from_words: part(linear),
            cost: self.cost(known),
            saved: 0,
            samples: self.samples,
            outcomes: known.sums.scored,
            worth: 0,
            error: Score::ZERO,
            spread: known.sums.spread(),
            cost_spread: 0,
        }
    }

    /// What similar turns cost, held back towards what the model costs in general.
    fn cost(&self, known: &ModelKnowledge) -> Option<u64> {
        let own = i128::from(known.sums.cost()?);
        let near = self.costs.checked_div(self.cost_weight).and_then(|mean| i128::try_from(mean).ok()).unwrap_or(own);
        let samples = i128::from(self.samples);
        u64::try_from((own + (near - own) * samples / (samples + i128::from(PSEUDO_NEIGHBOURS))).max(0)).ok()
    }
}

impl Estimate {
    /// The worth as a score: nothing for a turn that is not worth what it costs.
    pub fn score(&self) -> Score {
        Score(u64::try_from(self.worth).unwrap_or(0))
    }

    /// How cheap it is, now that the dearest model is known; a model of unknown cost counts as the dearest.
    fn compared(mut self, known: &ModelKnowledge, dearest: Option<u64>) -> Self {
        let dearest = dearest.unwrap_or_default();
        let one = i128::from(Score::ONE.0);
        let saved = self.cost.map_or(0, |cost| {
            let less = i128::from(dearest) - i128::from(cost);
            (less * one).checked_div(i128::from(dearest)).unwrap_or(0).clamp(-MOST_DEAR * one, one)
        });
        self.saved = i64::try_from(saved).unwrap_or_default();
        let square = u128::from(dearest).pow(2);
        let spread = known.sums.cost_variance().saturating_mul(1_000_000_000).checked_div(square).unwrap_or(0);
        self.cost_spread = u64::try_from(spread).unwrap_or(u64::MAX).min(MOST_SPREAD);
        self
    }

    /// Success and cost weighed: `(1 - weight) × success + weight × (1 - cost / dearest)`, the dearest being the model
    /// that costs most on average.
    fn weigh(&mut self, cost_weight: Score) {
        let weight = cost_weight.min(Score::ONE);
        let (rest, cost) = (i128::from(weight.complement().0), i128::from(weight.0));
        let worth = rest * i128::from(self.success.0) + cost * i128::from(self.saved);
        // At most a hundred times one either way.
        self.worth = i64::try_from(worth / i128::from(Score::ONE.0)).unwrap_or_default();
        // The error of the model's means: that is where luck lives when many models are compared.
        let of_success = u128::from(weight.complement().times(weight.complement()).times(self.spread).0);
        let of_cost = u128::from(self.cost_spread) * u128::from(weight.times(weight).0) / u128::from(Score::ONE.0);
        let variance = (of_success + of_cost) * u128::from(Score::ONE.0) / (u128::from(self.outcomes) + 1);
        self.error = Score(u64::try_from(variance.isqrt()).unwrap_or(Score::ONE.0));
    }
}

/// Weighs estimates by a weight of cost, and puts the best first.
pub fn weigh(estimates: &mut [Estimate], cost_weight: Score) {
    for estimate in estimates.iter_mut() {
        estimate.weigh(cost_weight);
    }
    // Models come in the order in which they were first seen; the first by id wins a tie.
    estimates.sort_by(|one, other| (Reverse(one.worth), &one.model).cmp(&(Reverse(other.worth), &other.model)));
}

/// The cost of a model varies by at most so much, in billionths of a square.
const MOST_SPREAD: u64 = 1_000_000_000_000;

/// A turn counts as at most so many times as dear as the dearest model is on average.
const MOST_DEAR: i128 = 100;

/// The model to prefer to the one that would act `baseline`, or, when there is no such model, the best.
///
/// Among many models the best looks better than it is, all the more the less is known. So that model is taken whose
/// lead over `baseline` is largest after so many errors of it were taken off, and more errors the more models there are.
/// Confidence is the probability that its lead is real, by the same errors; nothing when either model has fewer outcomes
/// than `fewest`.
pub fn recommendation(estimates: &[Estimate], baseline: Option<&ModelId>, fewest: u64) -> Option<Recommendation> {
    let best = estimates.first()?;
    let enough = |estimate: &Estimate| fewest <= u64::from(estimate.outcomes);
    let given = baseline.map(|baseline| estimates.iter().find(|estimate| estimate.model == *baseline));
    let field = Field::of(estimates.len());
    let (chosen, other) = match given {
        Some(Some(given)) if given.worth < best.worth => {
            let ahead = estimates.iter().filter(|estimate| given.worth < estimate.worth && enough(estimate));
            let cautious =
                |estimate: &&Estimate| (field.cautious_lead(estimate, given), Reverse(estimate.model.clone()));
            (ahead.max_by_key(cautious).unwrap_or(best), Some(given))
        }
        // Nothing is known of the model that would act.
        Some(None) => (best, None),
        _ => (best, estimates.get(1)),
    };
    let confidence = match other {
        Some(other) if enough(chosen) && enough(other) => {
            probability(chosen.worth.abs_diff(other.worth), field.error(chosen, other))
        }
        None if given.is_none() && enough(chosen) => Score::ONE,
        _ => Score::ZERO,
    };
    let rest = estimates.iter().filter(|estimate| estimate.model != chosen.model);
    let alternatives = std::iter::once(chosen).chain(rest).map(|estimate| Alternative {
        model: estimate.model.clone(),
        score: Some(estimate.score()),
        samples: estimate.samples,
    });
    let (model, samples) = (chosen.model.clone(), chosen.samples);
    Some(Recommendation { model, confidence, samples, alternatives: alternatives.collect() })
}

/// How many models compete: the more there are, the luckier the luckiest.
struct Field {
    /// The root of the logarithm of their number, with eight binary places: one for two models.
    factor: u64,
}

impl Field {
    fn of(models: usize) -> Self {
        Self { factor: (u64::from(logarithm(models as u64)) << 8).isqrt() }
    }

    /// By how much the lead of one over the other may be off.
    fn error(&self, one: &Estimate, other: &Estimate) -> u64 {
        // An error of cost is as large as turns are unlike: its square may not fit.
        let squares = [one, other].map(|estimate| u128::from(estimate.error.0).pow(2));
        let error = (squares[0] + squares[1]).isqrt() * u128::from(self.factor);
        u64::try_from(error >> 8).unwrap_or(u64::MAX)
    }

    /// The lead in a rather bad case.
    fn cautious_lead(&self, one: &Estimate, other: &Estimate) -> i64 {
        let error = i64::try_from(self.error(one, other)).unwrap_or(i64::MAX / 10);
        one.worth - other.worth - error * CAUTION_TENTHS / 10
    }
}
