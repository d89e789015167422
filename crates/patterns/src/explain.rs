//! Explanations of recommendations: the neighbours, their contributions, and the changes that would lead to another
//! model.

use std::cmp::Reverse;

use contracts::{
    ModelId, NanoUsd, Recommendation, Score, TurnId,
    views::{Estimator, PatternQuery, PatternSettings},
};
use serde::Serialize;

use crate::{
    Patterns, Store,
    calibrated::{self, Estimate},
    embedding::Embedding,
    paper::{self, RatedModel},
    recommend::compared_sketch,
    row::Row,
    search::{SearchBuffers, SearchQuery},
    space::PointQuery,
};

/// A recommendation with the estimates behind it, and the changes that would lead to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The recommendation; `None` if no known model has a score, or, for [`Estimator::Paper`], no neighbour has one.
    pub recommendation: Option<Recommendation>,
    /// The explanation of every model considered, in descending order of utility.
    pub models: Vec<ModelExplanation>,
    /// For each other model with a score, the changes that would make it the recommended one; empty without a
    /// recommendation.
    pub counterfactuals: Vec<Counterfactual>,
}

/// The estimate of one model's outcome, with the terms and the neighbours from which it was computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelExplanation {
    /// The model.
    pub model: ModelId,
    /// The expected score; `None` if no neighbour of the model has a score, which only [`Estimator::Paper`] reports.
    pub success: Option<Score>,
    /// The savings relative to the most expensive model, in billionths: 0 if the model costs as much, one billion if it
    /// costs nothing. Negative if this turn costs more than that model's mean.
    pub savings: i64,
    /// The expected cost in nano-dollars; `None` if no cost is known.
    pub cost: Option<u64>,
    /// The weighted mean of success and savings in billionths; `None` without an expected score.
    pub utility: Option<i64>,
    /// The terms of the expected score; `None` for the estimator [`Estimator::Paper`], which has a single term.
    pub terms: Option<SuccessTerms>,
    /// The neighbours of this model, in descending order of similarity.
    pub neighbours: Vec<SimilarRow>,
}

/// The terms whose sum is the expected score of the calibrated estimator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SuccessTerms {
    /// The posterior mean of the model's scores in the workspace.
    pub mean: Score,
    /// The number of scored turns of the model in the workspace.
    pub outcomes: u32,
    /// The contribution of neighbours in billionths.
    pub from_neighbours: i64,
    /// The contribution of the regression on words and structure in billionths.
    pub from_regression: i64,
}

/// One of the nearest neighbours of a turn: the outcomes of one model in earlier turns with equal features (a row of
/// the store).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SimilarRow {
    /// The latest turn of the row.
    pub turn: TurnId,
    /// The number of turns in the row.
    pub samples: u32,
    /// The number of turns in the row with a score that counts: one of sufficient confidence.
    pub scored: u32,
    /// The similarity of the row's features to those of the explained turn, from 0 to 1.
    pub similarity: Score,
    /// The mean of the counted scores of the row's turns; `None` if no score counts.
    pub outcome: Option<Score>,
    /// The mean of the known costs of the row's turns; `None` if no cost is known.
    pub cost: Option<NanoUsd>,
    /// The contribution in billionths: to the model's success for [`Estimator::Paper`], to
    /// [`SuccessTerms::from_neighbours`] for the calibrated estimator. Negative if the row lowers it.
    pub contribution: i64,
}

/// Two changes, each sufficient alone, that would give another model the utility of the recommended one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counterfactual {
    /// The other model.
    pub model: ModelId,
    /// The cost weight at which both models have the same utility; beyond it the other model ranks first. `None` if one
    /// of them is better at every cost weight.
    pub cost_weight: Option<Score>,
    /// The success rate at which the other model would be recommended, with the present cost weight; `None` if even a
    /// success of 1 is not enough.
    pub success: Option<Score>,
}

impl Patterns {
    /// Explains the recommendation for a turn; `None` if no turn of the workspace has been recorded.
    pub fn explain(&self, query: &PatternQuery<'_>) -> Option<Explanation> {
        Some(self.store(query.workspace)?.explain(query, self.message_embedding(query)))
    }
}

impl Store {
    /// Explains the recommendation for the turn in `query`. `embedding` is that of the turn's message; `None` if
    /// unknown.
    fn explain(&self, query: &PatternQuery<'_>, embedding: Option<&Embedding>) -> Explanation {
        let settings = query.settings;
        let search = self.search_query(query.features, settings, embedding);
        self.with_search_buffers(&search, query.known, |buffers| {
            let (recommendation, models) = match settings.estimator {
                Estimator::Paper => self.explain_paper(&search, settings, buffers),
                Estimator::Calibrated => self.explain_calibrated(query, &search, buffers),
            };
            let chosen = recommendation.as_ref().map(|found| &found.model);
            let counterfactuals = counterfactuals(&models, chosen, settings.cost_weight);
            Explanation { recommendation, models, counterfactuals }
        })
    }

    /// Computes the recommendation of [`Estimator::Paper`], and the explanation of every model that has a row among the
    /// nearest neighbours.
    fn explain_paper(
        &self,
        search: &SearchQuery<'_>,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> (Option<Recommendation>, Vec<ModelExplanation>) {
        let neighbours: Vec<_> = self.nearest_rows(search, settings, buffers).unsorted().collect();
        let rated = paper::rate_models(neighbours.iter().filter_map(|neighbour| self.row(neighbour)), settings);
        let neighbours_of = |model: &ModelId| {
            let rows = neighbours.iter().filter_map(|neighbour| Some((neighbour.similarity(), self.row(neighbour)?)));
            let rows_of_model = rows.filter(|(_, (other, _))| *other == model);
            rows_of_model.map(|(similarity, (_, row))| SimilarRow::new(row, similarity)).collect()
        };
        let models =
            rated.iter().map(|rated| ModelExplanation::from_rated(rated, neighbours_of(&rated.model))).collect();
        (paper::recommendation(&rated), models)
    }

    /// Computes the recommendation of [`Estimator::Calibrated`], and the explanation of every allowed model that has a
    /// score.
    fn explain_calibrated(
        &self,
        query: &PatternQuery<'_>,
        search: &SearchQuery<'_>,
        buffers: &SearchBuffers,
    ) -> (Option<Recommendation>, Vec<ModelExplanation>) {
        let settings = query.settings;
        let sketch = compared_sketch(query.features, settings);
        let estimates = self.estimate_models(search, sketch, settings, buffers);
        let point_query = search.point_query(settings);
        let explain_model = |estimate: &Estimate| {
            let neighbours = self.similar_rows(&estimate.model, &point_query, settings, buffers);
            ModelExplanation::from_estimate(estimate, neighbours)
        };
        let models = estimates.iter().map(explain_model).collect();
        (calibrated::recommendation(&estimates, query.baseline, settings.min_sample_size), models)
    }

    /// Returns the rows from which the calibrated estimate of `model` is computed, in descending order of similarity;
    /// empty if the store does not have the model.
    fn similar_rows(
        &self,
        model: &ModelId,
        query: &PointQuery,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> Vec<SimilarRow> {
        let Some(number) = self.models.iter().position(|known| known == model) else { return Vec::new() };
        let mut nearest = self.nearest_of_model(number, query, settings, buffers);
        let mut remaining = u64::from(settings.neighbours);
        let rows = nearest.sorted().map_while(|candidate| {
            let row = self.fingerprints.get(candidate.index())?.row(u32::try_from(number).ok()?)?;
            let is_used = 0 < remaining;
            remaining = remaining.saturating_sub(u64::from(row.sums.scored));
            let similarity = candidate.similarity().0.unsigned_abs() * Score::ONE.0;
            is_used.then(|| SimilarRow::new(row, Score(similarity >> 15)))
        });
        rows.collect()
    }
}

impl SimilarRow {
    /// Copies the outcomes of a row, with its similarity to the query. The contribution is 0 until the caller computes
    /// it.
    fn new(row: &Row, similarity: Score) -> Self {
        let sums = &row.sums;
        Self {
            turn: row.turn,
            samples: sums.samples,
            scored: sums.scored,
            similarity,
            outcome: sums.mean_score(),
            cost: sums.mean_cost().map(NanoUsd),
            contribution: 0,
        }
    }
}

impl ModelExplanation {
    /// Creates the explanation of a model rated by [`Estimator::Paper`], to whose success every scored turn among
    /// `neighbours` contributes equally.
    fn from_rated(rated: &RatedModel, mut neighbours: Vec<SimilarRow>) -> Self {
        for row in &mut neighbours {
            let share = Score::ratio(u64::from(row.scored), rated.samples);
            row.contribution = signed_billionths(share.times(row.outcome.unwrap_or_default()));
        }
        Self {
            model: rated.model.clone(),
            success: rated.success,
            savings: signed_billionths(rated.efficiency),
            cost: rated.cost,
            utility: rated.score.map(signed_billionths),
            terms: None,
            neighbours: sorted_by_similarity(neighbours),
        }
    }

    /// Creates the explanation of a calibrated estimate, to which each row of `neighbours` contributes in proportion to
    /// `similarity² · scored turns · (outcome - mean)`.
    fn from_estimate(estimate: &Estimate, mut neighbours: Vec<SimilarRow>) -> Self {
        let weight = |row: &SimilarRow| (u128::from(row.similarity.0).pow(2) * u128::from(row.scored)) >> 20;
        let weighted_difference = |row: &SimilarRow| {
            let difference = signed_billionths(row.outcome.unwrap_or_default()) - signed_billionths(estimate.mean);
            i128::from(difference) * i128::try_from(weight(row)).unwrap_or(i128::MAX)
        };
        let total: i128 = neighbours.iter().map(weighted_difference).sum();
        for row in &mut neighbours {
            let share = weighted_difference(row) * i128::from(estimate.from_neighbours);
            row.contribution = share.checked_div(total).and_then(|share| i64::try_from(share).ok()).unwrap_or(0);
        }
        Self {
            model: estimate.model.clone(),
            success: Some(estimate.success),
            savings: estimate.savings,
            cost: estimate.cost,
            utility: Some(estimate.utility),
            terms: Some(SuccessTerms {
                mean: estimate.mean,
                outcomes: estimate.outcomes,
                from_neighbours: estimate.from_neighbours,
                from_regression: estimate.from_regression,
            }),
            neighbours: sorted_by_similarity(neighbours),
        }
    }
}

/// Sorts rows in descending order of similarity, ties in ascending order of turn id.
fn sorted_by_similarity(mut neighbours: Vec<SimilarRow>) -> Vec<SimilarRow> {
    neighbours.sort_by_key(|row| (Reverse(row.similarity), row.turn));
    neighbours
}

/// Converts a score from unsigned to signed billionths.
fn signed_billionths(score: Score) -> i64 {
    i64::try_from(score.0).unwrap_or(i64::MAX)
}

/// Computes for each other model with an expected score what would have to change to make its utility equal to that of
/// the chosen model. Empty if no model is chosen or the chosen model has no expected score.
fn counterfactuals(models: &[ModelExplanation], chosen: Option<&ModelId>, cost_weight: Score) -> Vec<Counterfactual> {
    let Some(chosen) = models.iter().find(|model| Some(&model.model) == chosen) else { return Vec::new() };
    let (Some(utility), Some(success)) = (chosen.utility, chosen.success) else { return Vec::new() };
    let others = models.iter().filter(|model| model.model != chosen.model);
    let scored = others.filter_map(|other| Some((other, other.success?)));
    let counterfactual = |(other, other_success): (&ModelExplanation, Score)| Counterfactual {
        model: other.model.clone(),
        cost_weight: equal_utility_weight(
            signed_billionths(success) - signed_billionths(other_success),
            other.savings - chosen.savings,
        ),
        success: success_needed(utility, other.savings, cost_weight.min(Score::ONE)),
    };
    scored.map(counterfactual).collect()
}

/// Returns the cost weight `c` at which two models have the same utility: `(1 - c) · success_lead = c · savings_gap`.
/// `success_lead` is the success of the first model less that of the second; `savings_gap` is the savings of the second
/// less those of the first; both in billionths. `None` if one model is better at every cost weight.
fn equal_utility_weight(success_lead: i64, savings_gap: i64) -> Option<Score> {
    let has_solution = success_lead.signum() == savings_gap.signum() && success_lead != 0;
    let (lead, gap) = (success_lead.unsigned_abs(), savings_gap.unsigned_abs());
    has_solution.then(|| Score::ratio(lead, lead + gap))
}

/// Returns the success that a model with these savings needs to reach `utility`; `None` if that is greater than 1.
/// `utility` and `savings` are in billionths.
fn success_needed(utility: i64, savings: i64, cost_weight: Score) -> Option<Score> {
    let one = i128::from(Score::ONE.0);
    let missing = i128::from(utility) - i128::from(cost_weight.0) * i128::from(savings) / one;
    let needed = (missing * one).checked_div(i128::from(cost_weight.complement().0))?;
    (needed <= one).then(|| Score(u64::try_from(needed).unwrap_or(0)))
}
