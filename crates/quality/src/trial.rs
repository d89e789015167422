//! One replay of a set: all routers have the same training and test turns.

use contracts::views::Estimator;

use crate::{
    baseline::{Logistic, Neighbours},
    data::{Outcome, Set},
    expected::Expected,
    forecast::{Forecast, Means, best},
    gate::Gate,
    hash::hash,
    replay::Stream,
    split::{Lesson, Mode, Part, past},
    sweep::{Choices, Sweep, USUAL_WEIGHT, weights},
};

/// The parameters of a replay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Which outcomes of training turns are known.
    pub(crate) mode: Mode,
    /// The greatest number of training turns.
    pub(crate) most: usize,
    /// The number of the draw, which determines their order.
    pub(crate) draw: u32,
    /// The greatest number of test turns.
    pub(crate) asked: usize,
    /// Whether the formula of 004 and the baseline methods are run.
    pub(crate) others: bool,
}

/// A method of choosing models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouterKind {
    /// The calibrated estimator without thresholds.
    Store,
    /// The calibrated estimator with thresholds, as in live operation.
    StoreRouted,
    /// The formula of 004 with thresholds.
    Paper,
    /// The mean over the 5 nearest training turns by TF-IDF.
    FiveNearest,
    /// The weighted mean over the 100 nearest training turns by TF-IDF, shrunk towards the model's mean.
    HundredNearest,
    /// Logistic regression on the features of the store.
    Logistic,
}

impl RouterKind {
    /// Whether it is the calibrated estimator, with or without thresholds.
    pub const fn is_store(self) -> bool {
        matches!(self, Self::Store | Self::StoreRouted)
    }
}

/// The choices of one router on the test turns.
#[derive(Debug)]
pub(crate) struct Router {
    /// The method that makes the choices.
    pub(crate) kind: RouterKind,
    /// The chosen models, for each turn and cost weight.
    pub(crate) choices: Vec<Choices>,
    /// The chosen models at the default cost weight, for each turn.
    pub(crate) usual: Vec<Choices>,
    /// The expected success, for each turn and model.
    pub(crate) success: Vec<Vec<f64>>,
    /// The number of turns without a recommendation at the default cost weight.
    pub(crate) silent: usize,
}

/// A recommendation at the default cost weight with its outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bet {
    /// The confidence of the recommendation, from 0 to 1.
    pub(crate) confidence: f64,
    /// The expected difference in utility.
    pub(crate) expected: f64,
    /// The observed difference in utility.
    pub(crate) gained: f64,
    /// The observed difference in score.
    pub(crate) scored: f64,
    /// The recommended model and the other.
    pub(crate) models: (usize, usize),
}

/// The results of one replay.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    /// The outcomes of the test turns.
    pub(crate) outcomes: Vec<&'a [Outcome]>,
    /// The choices of every measured router.
    pub(crate) routers: Vec<Router>,
    /// `(expected, observed)` success by the store, for every test turn and model.
    pub(crate) successes: Vec<(f64, f64)>,
    /// The recommendations of the store.
    pub(crate) bets: Vec<Bet>,
}

impl Router {
    /// Creates a router without choices.
    pub(crate) const fn new(kind: RouterKind) -> Self {
        Self { kind, choices: Vec::new(), usual: Vec::new(), success: Vec::new(), silent: 0 }
    }
}

/// The cost weights and means of one part, which all routers share.
struct Setting<'a> {
    means: &'a Means,
    sweep: Sweep,
    usual: Sweep,
    baseline: usize,
}

impl Setting<'_> {
    /// Adds the choices of the store for one turn, without and with thresholds.
    fn route_by_store(&self, routers: &mut [Router; 2], expected: &mut Expected<'_>) {
        let success = self.filled(expected.successes());
        let advice = expected.advice(USUAL_WEIGHT, self.baseline);
        let choices = self.sweep.advised(expected).into_iter().zip(self.usual.advised(expected));
        let recommended = [advice.best, advice.recommended];
        for ((router, (choices, usual)), spoke) in routers.iter_mut().zip(choices).zip(recommended) {
            router.choices.push(choices);
            router.usual.push(usual);
            router.silent += usize::from(spoke.is_none());
            router.success.push(success.clone());
        }
    }

    /// Adds the choices of another router for one turn; the formula of 004 has thresholds.
    fn route(&self, router: &mut Router, forecasts: &[Option<Forecast>]) {
        let gate = (router.kind == RouterKind::Paper).then(|| Gate::of(Estimator::Paper));
        let choose = |weight| gate.map_or_else(|| best(forecasts, weight), |gate| gate.leader(forecasts, weight));
        router.choices.push(self.sweep.choices(choose));
        router.usual.push(self.usual.choices(choose));
        router.silent += usize::from(choose(USUAL_WEIGHT).is_none());
        let successes = forecasts.iter().map(|forecast| forecast.map(|forecast| forecast.success));
        router.success.push(self.filled(successes.collect()));
    }

    /// Replaces missing predictions by the mean of the model.
    fn filled(&self, successes: Vec<Option<f64>>) -> Vec<f64> {
        let known = successes.into_iter().zip(&self.means.models);
        known.map(|(success, mean)| success.or_else(|| mean.map(|(mean, _)| mean)).unwrap_or(0.0)).collect()
    }
}

/// Trains and tests all routers on the parts of a set, for one mode and training size.
pub(crate) fn run<'a>(set: &'a Set, stream: &Stream<'_>, parts: &[Part], plan: Plan) -> Trial<'a> {
    use RouterKind::{FiveNearest, HundredNearest, Logistic as Regression, Paper, Store, StoreRouted};
    let mut trial = Trial { outcomes: Vec::new(), routers: Vec::new(), successes: Vec::new(), bets: Vec::new() };
    let mut own = [Store, StoreRouted].map(Router::new);
    let mut paper = Router::new(Paper);
    let mut baselines = [FiveNearest, HundredNearest, Regression].map(Router::new);
    for part in parts {
        let lessons = past(set, part, plan.mode, plan.most, plan.draw);
        let means = Means::of(set, &lessons);
        // The baseline stands for a user's well-chosen default, so it is computed from all training turns.
        let every: Vec<_> = part.train.iter().map(|turn| Lesson { turn: *turn, model: None }).collect();
        let defaults = Means::of(set, &every);
        let sweep = Sweep::over(&weights(), &defaults);
        let usual = Sweep::over(&[USUAL_WEIGHT], &defaults);
        let baseline = defaults.best(USUAL_WEIGHT);
        let setting = Setting { means: &means, sweep, usual, baseline };
        let learned = stream.learn(&lessons);
        let questions = test_turns(set, part, plan.asked);
        let questions = questions.iter();
        for place in questions.clone() {
            let turn = &set.turns[*place];
            let mut expected = learned.expected(*place);
            setting.route_by_store(&mut own, &mut expected);
            if plan.others {
                setting.route(&mut paper, &learned.paper(*place));
            }
            trial.bets.extend(bet(&mut expected, &means, &turn.outcomes, baseline));
            let known = expected.successes().into_iter().zip(&turn.outcomes);
            trial.successes.extend(known.filter_map(|(success, outcome)| Some((success?, outcome.score))));
            trial.outcomes.push(&turn.outcomes);
        }
        if plan.others {
            let neighbours = Neighbours::learn(set, &lessons, &means);
            let logistic = Logistic::learn(set, stream.features(), &lessons, &means);
            for place in questions {
                let [five, hundred] = neighbours.forecasts(*place);
                let regression = logistic.forecasts(&stream.features()[*place], &hundred);
                for (router, forecasts) in baselines.iter_mut().zip([five, hundred, regression]) {
                    setting.route(router, &forecasts);
                }
            }
        }
    }
    trial.routers.extend(own);
    if plan.others {
        trial.routers.push(paper);
        trial.routers.extend(baselines);
    }
    trial
}

/// The first `most` test turns in an order that does not depend on the set.
fn test_turns(set: &Set, part: &Part, most: usize) -> Vec<usize> {
    let mut turns = part.test.clone();
    turns.sort_by_cached_key(|turn| (hash("asked: ", &set.turns[*turn].id), *turn));
    turns.truncate(most);
    turns
}

/// Returns the recommendation for a turn at the default cost weight with its outcome; `None` without one, or if its confidence is 0.
fn bet(expected: &mut Expected<'_>, means: &Means, outcomes: &[Outcome], baseline: usize) -> Option<Bet> {
    let found = expected.compared(USUAL_WEIGHT, baseline)?;
    let real = |place: usize| {
        let Outcome { score, cost } = outcomes[place];
        let saved = means.saved(cost);
        Forecast { success: score, saved, ..Forecast::default() }.utility(USUAL_WEIGHT)
    };
    let bet = Bet {
        confidence: found.confidence,
        expected: found.gap,
        gained: real(found.model) - real(found.other),
        scored: outcomes[found.model].score - outcomes[found.other].score,
        models: (found.model, found.other),
    };
    (0.0 < found.confidence).then_some(bet)
}
