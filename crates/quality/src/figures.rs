//! Figures of merit of routers: quality, cost and savings of the models they select.

use serde::Serialize;

use crate::{
    data::Outcome,
    gap::{GapClosed, gap_closed},
    hull::Hull,
    numbers::to_f64,
    sweep::{aiq, cost_score_curve, single_model_points},
    trial::{Router, RouterKind},
};

/// The share of the best model's score at which savings are measured: 98 %.
const SAVINGS_QUALITY: f64 = 0.98;

/// The share of the most expensive model's cost at which [`Figures::cheap_score`] is measured: 10 %.
const CHEAP_SHARE: f64 = 0.1;

/// The figures of merit of a router, averaged over the draws of a training size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The router that was measured.
    pub router: RouterKind,
    /// The average improvement in quality (AIQ): the mean score over all costs from the cheapest to the most expensive
    /// model.
    pub aiq: f64,
    /// The lowest AIQ of the draws.
    pub lowest_aiq: f64,
    /// The share of the best model's cost that is saved at 98 % of its score; 0 if that score is not reached, negative
    /// if it costs more.
    pub saved: f64,
    /// The score at a tenth of the most expensive model's cost.
    pub cheap_score: f64,
    /// The performance gap that the router closes; `None` unless there are two models and the stronger one has an
    /// advantage.
    pub gap: Option<GapClosed>,
    /// The mean score at the default cost weight.
    pub usual_score: f64,
    /// The mean cost in dollars at the default cost weight.
    pub usual_cost: f64,
    /// The share of turns without a recommendation at the default cost weight, from 0 to 1.
    pub silent: f64,
}

/// The figures of reference routers, which need no training: single models, their mixes, random selection and an
/// oracle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct References {
    /// The AIQ of the best mix of single models (the "zero router").
    pub zero: f64,
    /// The AIQ of an oracle that knows every outcome.
    pub oracle: f64,
    /// Name, mean cost in dollars and mean score of the cheapest model.
    pub cheapest: (String, f64, f64),
    /// Name, mean cost in dollars and mean score of the best model.
    pub best: (String, f64, f64),
    /// Mean cost in dollars and mean score of a random selection.
    pub random: (f64, f64),
    /// Mean cost in dollars and mean score of the oracle at the default cost weight.
    pub oracle_usual: (f64, f64),
}

impl Figures {
    /// Computes the figures of a router in one draw. `outcomes` are the outcomes of the test turns, in the order of the
    /// router's choices.
    pub(crate) fn compute(outcomes: &[&[Outcome]], router: &Router) -> Self {
        let singles = single_model_points(outcomes);
        let hull = Hull::new(cost_score_curve(outcomes, &router.choices));
        let (usual_cost, usual_score) =
            cost_score_curve(outcomes, &router.default_choices).first().copied().unwrap_or_default();
        let best = best_single_model(&singles);
        let highest_cost = singles.iter().map(|single| single.0).fold(0.0, f64::max);
        let cost = hull.lowest_cost_of(SAVINGS_QUALITY * singles[best].1);
        let aiq = aiq(&hull, &singles);
        Self {
            router: router.kind,
            aiq,
            lowest_aiq: aiq,
            saved: cost.map_or(0.0, |cost| 1.0 - cost / singles[best].0),
            cheap_score: hull.quality_at(CHEAP_SHARE * highest_cost),
            gap: gap_of_two_models(outcomes, &singles, &router.success),
            usual_score,
            usual_cost,
            silent: to_f64(router.without_recommendation) / to_f64(outcomes.len().max(1)),
        }
    }

    /// Averages the figures of a router over several draws; `None` if there are none.
    pub(crate) fn mean(draws: &[Self]) -> Option<Self> {
        let first = draws.first()?;
        let mean = |select: fn(&Self) -> f64| draws.iter().map(select).sum::<f64>() / to_f64(draws.len());
        let gap = |select: fn(&GapClosed) -> f64| {
            draws.iter().filter_map(|draw| draw.gap.as_ref()).map(select).sum::<f64>() / to_f64(draws.len())
        };
        Some(Self {
            router: first.router,
            aiq: mean(|draw| draw.aiq),
            lowest_aiq: draws.iter().map(|draw| draw.aiq).fold(f64::INFINITY, f64::min),
            saved: mean(|draw| draw.saved),
            cheap_score: mean(|draw| draw.cheap_score),
            gap: first.gap.map(|_| GapClosed {
                average: gap(|gap| gap.average),
                half: gap(|gap| gap.half),
                four_fifths: gap(|gap| gap.four_fifths),
            }),
            usual_score: mean(|draw| draw.usual_score),
            usual_cost: mean(|draw| draw.usual_cost),
            silent: mean(|draw| draw.silent),
        })
    }
}

impl References {
    /// Computes the figures of the reference routers. `outcomes` are those of the test turns; `oracle` is a router that
    /// knows every outcome.
    pub(crate) fn compute(outcomes: &[&[Outcome]], models: &[String], oracle: &Router) -> Self {
        let single_models = single_model_points(outcomes);
        let describe = |index: usize| (models[index].clone(), single_models[index].0, single_models[index].1);
        let cheapest =
            (0..single_models.len()).min_by(|one, other| single_models[*one].0.total_cmp(&single_models[*other].0));
        let sum = single_models.iter().fold((0.0, 0.0), |sum, single| (sum.0 + single.0, sum.1 + single.1));
        let models = to_f64(single_models.len().max(1));
        Self {
            zero: aiq(&Hull::new(single_models.iter().copied()), &single_models),
            oracle: aiq(&Hull::new(cost_score_curve(outcomes, &oracle.choices)), &single_models),
            cheapest: describe(cheapest.unwrap_or(0)),
            best: describe(best_single_model(&single_models)),
            random: (sum.0 / models, sum.1 / models),
            oracle_usual: cost_score_curve(outcomes, &oracle.default_choices).first().copied().unwrap_or_default(),
        }
    }
}

/// Returns the index of the model with the highest mean score, the first in a tie. `singles` has the mean cost and the
/// mean score of each model.
fn best_single_model(singles: &[(f64, f64)]) -> usize {
    let numbered = singles.iter().enumerate();
    // `max_by` returns the last of several greatest items; reversed, this is the first.
    let best = numbered.rev().max_by(|one, other| one.1.1.total_cmp(&other.1.1));
    best.map_or(0, |(index, _)| index)
}

/// Computes the performance gap between two models that a router closes. `success` is its predicted success of each
/// model on each turn. `None` for another number of models, or if neither has an advantage.
fn gap_of_two_models(outcomes: &[&[Outcome]], singles: &[(f64, f64)], success: &[Vec<f64>]) -> Option<GapClosed> {
    if singles.len() != 2 {
        return None;
    }
    let strong = best_single_model(singles);
    let weak = 1 - strong;
    let turns = outcomes
        .iter()
        .zip(success)
        .map(|(outcomes, success)| (success[strong] - success[weak], outcomes[strong].score - outcomes[weak].score));
    gap_closed(&turns.collect::<Vec<_>>())
}
