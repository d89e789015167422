//! The formula of 004 §5.5 to the letter, in integers: from the nearest rows to a recommendation (decisions D20, D21,
//! D25).

use std::{cmp::Reverse, collections::BTreeMap};

use contracts::{
    Alternative, ModelId, Recommendation, Score,
    views::{CostScale, PatternSettings},
};

use crate::row::Row;

/// What the nearest rows say about one model. The sums are exact, so the order of rows cannot matter.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    /// Samples with a score.
    scored: u64,
    /// The sum of those scores, in billionths.
    score_sum: u128,
    /// Samples with a known cost.
    costed: u64,
    /// The sum of those costs, in nano-dollars.
    cost_sum: u128,
}

/// An average cost in nano-dollars with 32 binary places: equal averages are equal numbers.
type Cost = u128;

impl Tally {
    fn add(&mut self, row: &Row) {
        self.scored += u64::from(row.sums.scored);
        self.score_sum += u128::from(row.sums.score_sum);
        self.costed += u64::from(row.sums.costed);
        self.cost_sum += u128::from(row.sums.cost_sum.0);
    }

    /// The mean of all scores, `None` when there is none: unknown is not zero (decision D21). A row weighs as
    /// many times as it has scores, which is the weighting by sample size of 004 §5.5.
    fn success(&self) -> Option<Score> {
        let mean = self.score_sum.checked_div(u128::from(self.scored))?;
        // A mean of numbers up to 1 is at most 1.
        Some(u64::try_from(mean).map_or(Score::ONE, |mean| Score(mean).min(Score::ONE)))
    }

    /// The mean of all known costs.
    fn cost(&self) -> Option<Cost> {
        // At most 65,535 rows of 64 bits each: 80 bits, and 32 more still fit.
        (self.cost_sum << 32).checked_div(u128::from(self.costed))
    }
}

/// The cheapest and the dearest model that could be recommended.
struct CostRange {
    cheapest: Cost,
    dearest: Cost,
}

impl CostRange {
    fn of(models: &BTreeMap<&ModelId, Tally>) -> Option<Self> {
        let costs = || models.values().filter(|tally| 0 < tally.scored).filter_map(Tally::cost);
        Some(Self { cheapest: costs().min()?, dearest: costs().max()? })
    }

    /// From 0 for the dearest towards 1; 0 for all when there is no difference to weigh.
    fn efficiency(&self, cost: Cost, scale: CostScale) -> Score {
        let whole = match scale {
            CostScale::Cluster => self.dearest.saturating_sub(self.cheapest),
            CostScale::Relative => self.dearest,
        };
        let saved = self.dearest.saturating_sub(cost);
        // An average has at most 64 + 32 bits, and a billion has 30.
        let billionths = (saved * u128::from(Score::ONE.0)).checked_div(whole).unwrap_or(0);
        u64::try_from(billionths).map_or(Score::ONE, |billionths| Score(billionths).min(Score::ONE))
    }
}

/// One model among the nearest rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rated {
    pub(crate) model: ModelId,
    /// The mean of its scores; `None` when it has none.
    pub(crate) success: Option<Score>,
    /// How cheap it is, on the scale of the policy.
    pub(crate) efficiency: Score,
    /// Its mean cost in nano-dollars.
    pub(crate) cost: Option<u64>,
    pub(crate) score: Option<Score>,
    pub(crate) samples: u64,
}

/// Every model among the nearest rows, the best first.
///
/// A model whose cost nobody knows gets no bonus for it, as if it were the dearest.
pub(crate) fn rated<'a>(rows: impl Iterator<Item = (&'a ModelId, &'a Row)>, settings: &PatternSettings) -> Vec<Rated> {
    let mut models: BTreeMap<&ModelId, Tally> = BTreeMap::new();
    for (model, row) in rows {
        models.entry(model).or_default().add(row);
    }
    let range = CostRange::of(&models);
    let mut rated: Vec<_> = models
        .iter()
        .map(|(model, tally)| {
            let efficiency = match (&range, tally.cost()) {
                (Some(range), Some(cost)) => range.efficiency(cost, settings.cost_scale),
                _ => Score::ZERO,
            };
            let success = tally.success();
            let score = success.map(|success| blend(success, efficiency, settings.cost_weight));
            let cost = tally.cost().and_then(|cost| u64::try_from(cost >> 32).ok());
            Rated { model: (*model).clone(), success, efficiency, cost, score, samples: tally.scored }
        })
        .collect();
    // Stable: models come in the order of their ids, and `None` is less than any score.
    rated.sort_by_key(|rated| Reverse(rated.score));
    rated
}

/// What the nearest rows recommend; `None` when none of them has a score.
pub(crate) fn recommendation(rated: &[Rated]) -> Option<Recommendation> {
    let winner = rated.first()?;
    let confidence = lead(winner.score?, rated.get(1).and_then(|second| second.score));
    let alternatives = rated.iter().map(|rated| Alternative {
        model: rated.model.clone(),
        score: rated.score,
        samples: rated.samples,
    });
    let (model, samples) = (winner.model.clone(), winner.samples);
    Some(Recommendation { model, confidence, samples, alternatives: alternatives.collect() })
}

/// `(1 - weight) × success + weight × efficiency`, rounded down once.
fn blend(success: Score, efficiency: Score, weight: Score) -> Score {
    let weight = weight.min(Score::ONE);
    let sum =
        u128::from(weight.complement().0) * u128::from(success.0) + u128::from(weight.0) * u128::from(efficiency.0);
    // A mean of two numbers up to 1.
    Score(u64::try_from(sum / u128::from(Score::ONE.0)).unwrap_or(Score::ONE.0))
}

/// `(top - second) / top`: nothing when the top is nothing, everything when there is no second.
fn lead(top: Score, second: Option<Score>) -> Score {
    let Some(second) = second else {
        return if top == Score::ZERO { Score::ZERO } else { Score::ONE };
    };
    Score::ratio(top.0.saturating_sub(second.0), top.0)
}
