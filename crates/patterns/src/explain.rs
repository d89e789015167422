//! Why a turn is recommended what it is: the turns it was compared with, what each contributed, and what would have to
//! change for the choice to be another.

use std::cmp::Reverse;

use contracts::{
    ModelId, NanoUsd, Recommendation, Score, TurnId,
    views::{Estimator, PatternQuery},
};
use serde::Serialize;

use crate::{Patterns, Store, calibrated, embedding::Embedding, paper, row::Row, search::Scratch, space::Query};

/// Everything behind a recommendation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// What is recommended; `None` when nothing similar was ever scored.
    pub recommendation: Option<Recommendation>,
    /// Every model considered, the best first.
    pub models: Vec<Considered>,
    /// For every other model with a score: what would put it before the first.
    pub flips: Vec<Flip>,
}

/// A model that was considered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Considered {
    /// The model.
    pub model: ModelId,
    /// The share of success expected of it; `None` when none of its turns was ever scored.
    pub success: Option<Score>,
    /// How cheap it is, in billionths: nothing for the dearest, one for free.
    pub saved: i64,
    /// The cost expected, in nano-dollars.
    pub cost: Option<u64>,
    /// Success and cost, weighed, in billionths.
    pub worth: Option<i64>,
    /// Where the success comes from, as the calibrated estimator sees it.
    pub parts: Option<Parts>,
    /// The turns of this model that are most like it, the nearest first.
    pub neighbours: Vec<Similar>,
}

/// What a success is the sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// The model's mean in the workspace.
    pub mean: Score,
    /// Scored turns of the model in the workspace.
    pub outcomes: u32,
    /// What similar turns add, in billionths.
    pub from_neighbours: i64,
    /// What words and structure add, in billionths.
    pub from_words: i64,
}

/// A row like the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Similar {
    /// The last of its turns.
    pub turn: TurnId,
    /// How many turns it stands for, and how many of those have a score.
    pub samples: u32,
    /// Those with a score.
    pub scored: u32,
    /// How like it is.
    pub similarity: Score,
    /// How well it went on average.
    pub outcome: Option<Score>,
    /// What it cost on average, in nano-dollars.
    pub cost: Option<NanoUsd>,
    /// What it adds to the success of its model, in billionths.
    pub contribution: i64,
}

/// What would put another model first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flip {
    /// The other model.
    pub model: ModelId,
    /// The weight of cost at which the two are level, if there is one; on the other side of it the other one leads.
    pub cost_weight: Option<Score>,
    /// The success the other would need at the weight of cost there is; `None` when even certain success would not do.
    pub success: Option<Score>,
}

impl Patterns {
    /// Everything behind what a turn is recommended; `None` for a workspace in which nothing was learned.
    pub fn explain(&self, query: &PatternQuery<'_>) -> Option<Explanation> {
        Some(self.store(query.workspace)?.explain(query, self.embedding_of(query)))
    }
}

impl Store {
    fn explain(&self, query: &PatternQuery<'_>, embedding: Option<&Embedding>) -> Explanation {
        let settings = query.settings;
        let asked = self.asked(query.features, settings, embedding);
        self.scanned(&asked, query.known, |scratch| {
            let (recommendation, models) = match settings.estimator {
                Estimator::Paper => {
                    let near: Vec<_> = self.nearest(&asked, settings, scratch).kept().collect();
                    let rated = paper::rated(near.iter().filter_map(|near| self.row(near)), settings);
                    let models = rated.iter().map(|rated| {
                        let own = near.iter().filter_map(|near| Some((near.similarity(), self.row(near)?)));
                        let own = own.filter(|(_, (model, _))| **model == rated.model);
                        let own = own.map(|(similarity, (_, row))| Similar::of(row, similarity)).collect();
                        Considered::rated(rated, own)
                    });
                    (paper::recommendation(&rated), models.collect::<Vec<_>>())
                }
                Estimator::Calibrated => {
                    let sketch = crate::recommend::words(query.features, settings);
                    let estimates = self.estimates(&asked, sketch, settings, scratch);
                    let point = Query::new(&asked.point, if asked.hybrid { settings.alpha } else { Score::ZERO });
                    let models = estimates.iter().map(|estimate| {
                        let near = self.similar(&estimate.model, &point, query, scratch);
                        Considered::estimated(estimate, near)
                    });
                    let models = models.collect();
                    (calibrated::recommendation(&estimates, query.baseline, settings.min_sample_size), models)
                }
            };
            let chosen = recommendation.as_ref().map(|found| &found.model);
            let flips = flips(&models, chosen, settings.cost_weight);
            Explanation { recommendation, models, flips }
        })
    }

    fn similar(&self, model: &ModelId, point: &Query, query: &PatternQuery<'_>, scratch: &Scratch) -> Vec<Similar> {
        let Some(number) = self.models.iter().position(|known| known == model) else { return Vec::new() };
        let mut nearest = self.nearest_of(number, point, query.settings, scratch);
        let mut room = u64::from(query.settings.neighbours);
        let near = nearest.sorted().map_while(|candidate| {
            // Those the estimate is made of, and no more.
            let row = self.fingerprints.get(candidate.place())?.row(u32::try_from(number).ok()?)?;
            let counts = 0 < room;
            room = room.saturating_sub(u64::from(row.sums.scored));
            counts.then(|| Similar::of(row, Score((candidate.similarity() * Score::ONE.0) >> 15)))
        });
        near.collect()
    }
}

impl Similar {
    fn of(row: &Row, similarity: Score) -> Self {
        let sums = &row.sums;
        let outcome = sums.success();
        let cost = sums.cost().map(NanoUsd);
        let (samples, scored) = (sums.samples, sums.scored);
        Self { turn: row.turn, samples, scored, similarity, outcome, cost, contribution: 0 }
    }
}

impl Considered {
    /// By the formula of 004: every scored turn contributes alike.
    fn rated(rated: &paper::Rated, mut neighbours: Vec<Similar>) -> Self {
        for near in &mut neighbours {
            let share = Score::ratio(u64::from(near.scored), rated.samples);
            near.contribution = signed(share.times(near.outcome.unwrap_or_default()));
        }
        Self {
            model: rated.model.clone(),
            success: rated.success,
            saved: signed(rated.efficiency),
            cost: rated.cost,
            worth: rated.score.map(signed),
            parts: None,
            neighbours: nearest_first(neighbours),
        }
    }

    /// By the calibrated estimator: turns contribute what they did beyond the mean, by the square of their similarity.
    fn estimated(estimate: &calibrated::Estimate, mut neighbours: Vec<Similar>) -> Self {
        let weight = |near: &Similar| (u128::from(near.similarity.0).pow(2) * u128::from(near.scored)) >> 20;
        let beyond = |near: &Similar| signed(near.outcome.unwrap_or_default()) - signed(estimate.mean);
        let all: i128 = neighbours.iter().map(|near| i128::from(beyond(near)) * wide(weight(near))).sum();
        for near in &mut neighbours {
            let own = i128::from(beyond(near)) * wide(weight(near)) * i128::from(estimate.from_neighbours);
            near.contribution = own.checked_div(all).and_then(|share| i64::try_from(share).ok()).unwrap_or(0);
        }
        Self {
            model: estimate.model.clone(),
            success: Some(estimate.success),
            saved: estimate.saved,
            cost: estimate.cost,
            worth: Some(estimate.worth),
            parts: Some(Parts {
                mean: estimate.mean,
                outcomes: estimate.outcomes,
                from_neighbours: estimate.from_neighbours,
                from_words: estimate.from_words,
            }),
            neighbours: nearest_first(neighbours),
        }
    }
}

fn nearest_first(mut neighbours: Vec<Similar>) -> Vec<Similar> {
    neighbours.sort_by_key(|near| (Reverse(near.similarity), near.turn));
    neighbours
}

fn signed(score: Score) -> i64 {
    i64::try_from(score.0).unwrap_or(i64::MAX)
}

fn wide(weight: u128) -> i128 {
    i128::try_from(weight).unwrap_or(i128::MAX)
}

/// What would put every other model before the one that leads.
fn flips(models: &[Considered], chosen: Option<&ModelId>, cost_weight: Score) -> Vec<Flip> {
    let Some(first) = models.iter().find(|model| Some(&model.model) == chosen) else { return Vec::new() };
    let others = models.iter().filter(|model| model.model != first.model);
    let (Some(worth), Some(success)) = (first.worth, first.success) else { return Vec::new() };
    let scored = others.filter_map(|other| Some((other, other.success?)));
    let weight = cost_weight.min(Score::ONE);
    let flip = |(other, own): (&Considered, Score)| {
        let better = signed(success) - signed(own);
        let cheaper = other.saved - first.saved;
        // Level where (1 - weight) × better = weight × cheaper.
        let level = (better.signum() == cheaper.signum() && better != 0)
            .then(|| Score::ratio(better.unsigned_abs(), better.unsigned_abs() + cheaper.unsigned_abs()));
        // What cost leaves to success.
        let one = i128::from(Score::ONE.0);
        let missing = i128::from(worth) - i128::from(weight.0) * i128::from(other.saved) / one;
        let needed = (missing * one).checked_div(i128::from(weight.complement().0));
        let needed = needed.filter(|needed| *needed <= one).map(|needed| u64::try_from(needed).unwrap_or(0));
        Flip { model: other.model.clone(), cost_weight: level, success: needed.map(Score) }
    };
    scored.map(flip).collect()
}
