//! One replay of a prompt set, in which all routers have the same training and test turns.

use contracts::views::Estimator;

use crate::{
    baseline::{Logistic, Neighbours},
    data::{Outcome, PromptSet},
    forecast::{Forecast, Means, best_index},
    hash::hash,
    replay::PreparedSet,
    split::{KnownOutcomes, TrainingTurn, TurnSplit, training_turns},
    store_estimates::StoreEstimates,
    sweep::{Choices, DEFAULT_WEIGHT, WeightSweep, cost_weights},
    thresholds::Thresholds,
};

/// The parameters of a replay: which training and test turns, and which routers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrialPlan {
    /// Which outcomes of training turns are known.
    pub(crate) mode: KnownOutcomes,
    /// The limit of training turns in each split.
    pub(crate) max_training_turns: usize,
    /// The number of the draw, which determines the selection and the order of training turns.
    pub(crate) draw: u32,
    /// The limit of test turns in each split.
    pub(crate) max_test_turns: usize,
    /// Whether the estimator `Paper` and the baseline methods are run as well.
    pub(crate) with_baselines: bool,
}

/// A method of selecting a model for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouterKind {
    /// The calibrated estimator of the store without thresholds.
    Store,
    /// The calibrated estimator of the store with thresholds, as in live operation.
    StoreRouted,
    /// The estimator `Paper` of the store (004 §5.5) with thresholds.
    Paper,
    /// The mean of the 5 nearest neighbours by TF-IDF.
    FiveNearest,
    /// The mean of the 100 nearest neighbours by TF-IDF, shrunk towards the model's mean.
    HundredNearest,
    /// Logistic regression on the features of the store.
    Logistic,
}

impl RouterKind {
    /// Returns whether this is the calibrated estimator, with or without thresholds.
    pub const fn is_store(self) -> bool {
        matches!(self, Self::Store | Self::StoreRouted)
    }
}

/// The models that one router selects for the test turns.
#[derive(Debug)]
pub(crate) struct Router {
    /// The method that makes the choices.
    pub(crate) kind: RouterKind,
    /// For each turn, the selected model at each cost weight.
    pub(crate) choices: Vec<Choices>,
    /// For each turn, the selected model at the default cost weight.
    pub(crate) default_choices: Vec<Choices>,
    /// For each turn, the predicted success of each model, from 0 to 1.
    pub(crate) success: Vec<Vec<f64>>,
    /// The number of turns without a recommendation at the default cost weight.
    pub(crate) without_recommendation: usize,
}

/// A recommendation of the store at the default cost weight, with its observed outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredRecommendation {
    /// The confidence, from 0 to 1.
    pub(crate) confidence: f64,
    /// The predicted difference in utility between the two compared models.
    pub(crate) expected_gain: f64,
    /// The observed difference in utility between the two compared models.
    pub(crate) gain: f64,
    /// The observed difference in score between the two compared models.
    pub(crate) score_gain: f64,
    /// The indices of the recommended model and of the model it is compared with.
    pub(crate) models: (usize, usize),
}

/// The results of one replay: the selections of all routers, and the predictions of the store.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    /// The outcomes of each test turn.
    pub(crate) outcomes: Vec<&'a [Outcome]>,
    /// All routers; the store without and with thresholds comes first.
    pub(crate) routers: Vec<Router>,
    /// The success that the store predicts and the observed one, for every test turn and model.
    pub(crate) successes: Vec<(f64, f64)>,
    /// The recommendations of the store with a confidence above 0, for calibration.
    pub(crate) recommendations: Vec<ScoredRecommendation>,
}

impl Router {
    /// Creates a router that has not selected any model yet.
    pub(crate) const fn new(kind: RouterKind) -> Self {
        Self { kind, choices: Vec::new(), default_choices: Vec::new(), success: Vec::new(), without_recommendation: 0 }
    }
}

/// The cost weights, the baselines and the mean outcomes of one split, which all routers share.
struct RoutingContext<'a> {
    /// The mean outcomes of each model in the training turns.
    means: &'a Means,
    /// All cost weights.
    sweep: WeightSweep,
    /// The default cost weight alone.
    default_sweep: WeightSweep,
    /// The baseline at the default cost weight.
    baseline: usize,
}

impl<'a> RoutingContext<'a> {
    /// Creates the context of a split. The baselines are computed from all training turns, because they represent a
    /// user's well-chosen default model.
    fn new(set: &PromptSet, split: &TurnSplit, means: &'a Means) -> Self {
        let every_outcome: Vec<_> = split.train.iter().map(|turn| TrainingTurn { index: *turn, model: None }).collect();
        let baselines = Means::compute(set, &every_outcome);
        Self {
            means,
            sweep: WeightSweep::new(&cost_weights(), &baselines),
            default_sweep: WeightSweep::new(&[DEFAULT_WEIGHT], &baselines),
            baseline: baselines.best_model(DEFAULT_WEIGHT),
        }
    }

    /// Appends the selections of the store for one turn to two routers: one without and one with thresholds.
    fn route_by_store(&self, routers: &mut [Router; 2], estimates: &mut StoreEstimates<'_>) {
        let success = self.fill_missing(estimates.successes());
        let selection = estimates.select(DEFAULT_WEIGHT, self.baseline);
        let choices = self.sweep.select_by_estimates(estimates);
        let choices = choices.into_iter().zip(self.default_sweep.select_by_estimates(estimates));
        let recommended_models = [selection.best, selection.recommended];
        for ((router, (choices, default_choices)), recommended_model) in
            routers.iter_mut().zip(choices).zip(recommended_models)
        {
            router.choices.push(choices);
            router.default_choices.push(default_choices);
            router.without_recommendation += usize::from(recommended_model.is_none());
            router.success.push(success.clone());
        }
    }

    /// Appends the selections of a router for one turn, based on its forecasts. Only the estimator `Paper` has
    /// thresholds.
    fn route(&self, router: &mut Router, forecasts: &[Option<Forecast>]) {
        let thresholds = (router.kind == RouterKind::Paper).then(|| Thresholds::defaults(Estimator::Paper));
        let choose = |weight| match thresholds {
            Some(thresholds) => thresholds.recommend(forecasts, weight),
            None => best_index(forecasts, weight),
        };
        router.choices.push(self.sweep.select_with(choose));
        router.default_choices.push(self.default_sweep.select_with(choose));
        router.without_recommendation += usize::from(choose(DEFAULT_WEIGHT).is_none());
        let successes = forecasts.iter().map(|forecast| forecast.map(|forecast| forecast.success));
        router.success.push(self.fill_missing(successes.collect()));
    }

    /// Replaces missing predictions of success by the mean score of the model, or by 0 if the model has no outcomes.
    fn fill_missing(&self, successes: Vec<Option<f64>>) -> Vec<f64> {
        let with_means = successes.into_iter().zip(&self.means.models);
        with_means.map(|(success, mean)| success.or_else(|| mean.map(|(score, _)| score)).unwrap_or(0.0)).collect()
    }
}

/// Runs a replay: for each split, trains all routers on the training turns and records their selections for the test
/// turns.
pub(crate) fn run_trial<'a>(
    set: &'a PromptSet,
    prepared: &PreparedSet<'_>,
    splits: &[TurnSplit],
    plan: TrialPlan,
) -> Trial<'a> {
    use RouterKind::{FiveNearest, HundredNearest, Logistic as Regression, Paper, Store, StoreRouted};
    let mut trial =
        Trial { outcomes: Vec::new(), routers: Vec::new(), successes: Vec::new(), recommendations: Vec::new() };
    let mut store_routers = [Store, StoreRouted].map(Router::new);
    let mut paper_router = Router::new(Paper);
    let mut baseline_routers = [FiveNearest, HundredNearest, Regression].map(Router::new);
    for split in splits {
        let training = training_turns(set, split, plan.mode, plan.max_training_turns, plan.draw);
        let means = Means::compute(set, &training);
        let context = RoutingContext::new(set, split, &means);
        let store = prepared.train(&training);
        let test_turns = test_turns(set, split, plan.max_test_turns);
        for index in &test_turns {
            let turn = &set.turns[*index];
            let mut estimates = store.estimates(*index);
            context.route_by_store(&mut store_routers, &mut estimates);
            if plan.with_baselines {
                context.route(&mut paper_router, &store.paper_forecasts(*index));
            }
            let recommendation = score_recommendation(&mut estimates, &means, &turn.outcomes, context.baseline);
            trial.recommendations.extend(recommendation);
            let predicted_successes = estimates.successes().into_iter().zip(&turn.outcomes);
            trial
                .successes
                .extend(predicted_successes.filter_map(|(success, outcome)| Some((success?, outcome.score))));
            trial.outcomes.push(&turn.outcomes);
        }
        if plan.with_baselines {
            let neighbours = Neighbours::train(set, &training, &means);
            let logistic = Logistic::train(set, prepared.features(), &training, &means);
            for index in &test_turns {
                let [five, hundred] = neighbours.forecasts(*index);
                let regression = logistic.forecasts(&prepared.features()[*index], &hundred);
                for (router, forecasts) in baseline_routers.iter_mut().zip([five, hundred, regression]) {
                    context.route(router, &forecasts);
                }
            }
        }
    }
    trial.routers.extend(store_routers);
    if plan.with_baselines {
        trial.routers.push(paper_router);
        trial.routers.extend(baseline_routers);
    }
    trial
}

/// Returns the indices of at most `max_turns` test turns of a split, in a pseudo-random order that depends only on the
/// ids of the turns.
fn test_turns(set: &PromptSet, split: &TurnSplit, max_turns: usize) -> Vec<usize> {
    let mut turns = split.test.clone();
    turns.sort_by_cached_key(|turn| (hash("asked: ", &set.turns[*turn].id), *turn));
    turns.truncate(max_turns);
    turns
}

/// Returns the store's recommendation for a turn at the default cost weight, with its observed outcome. `None` if there
/// is no recommendation or its confidence is 0.
fn score_recommendation(
    estimates: &mut StoreEstimates<'_>,
    means: &Means,
    outcomes: &[Outcome],
    baseline: usize,
) -> Option<ScoredRecommendation> {
    let comparison = estimates.compare(DEFAULT_WEIGHT, baseline)?;
    let observed_utility = |model: usize| {
        let Outcome { score, cost } = outcomes[model];
        Forecast { success: score, saved: means.saved(cost), ..Forecast::default() }.utility(DEFAULT_WEIGHT)
    };
    let recommendation = ScoredRecommendation {
        confidence: comparison.confidence,
        expected_gain: comparison.gap,
        gain: observed_utility(comparison.model) - observed_utility(comparison.other),
        score_gain: outcomes[comparison.model].score - outcomes[comparison.other].score,
        models: (comparison.model, comparison.other),
    };
    (0.0 < comparison.confidence).then_some(recommendation)
}
