//! One replay of a set: the same past for the store and for what it has to beat, the same questions to all.

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

/// What is replayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// What is known of the past.
    pub(crate) mode: Mode,
    /// How many turns of it.
    pub(crate) most: usize,
    /// Which ones.
    pub(crate) draw: u32,
    /// How many turns are asked about.
    pub(crate) asked: usize,
    /// Whether the formula of 004 and the textbook methods are run.
    pub(crate) others: bool,
}

/// Who routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouterKind {
    /// The calibrated estimator, its best model always acting.
    Store,
    /// The calibrated estimator behind its thresholds, as turns are routed.
    StoreRouted,
    /// The formula of the paper behind its thresholds.
    Paper,
    /// TF-IDF, the 5 nearest.
    FiveNearest,
    /// TF-IDF, the 100 nearest, held back.
    HundredNearest,
    /// Logistic regression.
    Logistic,
}

impl RouterKind {
    /// Whether it is the calibrated estimator, in one way or the other.
    pub const fn is_store(self) -> bool {
        matches!(self, Self::Store | Self::StoreRouted)
    }
}

/// What a router chose.
#[derive(Debug)]
pub(crate) struct Router {
    /// Which.
    pub(crate) kind: RouterKind,
    /// By turn and weight.
    pub(crate) choices: Vec<Choices>,
    /// By turn, at the usual weight.
    pub(crate) usual: Vec<Choices>,
    /// By turn and model: the success that is expected.
    pub(crate) success: Vec<Vec<f64>>,
    /// The turns for which nothing was recommended at the usual weight.
    pub(crate) silent: usize,
}

/// A recommendation at the usual weight and what came of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bet {
    /// That it is better than the other model.
    pub(crate) confidence: f64,
    /// By how much it was expected to be better.
    pub(crate) expected: f64,
    /// By how much it was.
    pub(crate) gained: f64,
    /// By how much its score was higher.
    pub(crate) scored: f64,
    /// The recommended model and the other.
    pub(crate) models: (usize, usize),
}

/// A replay.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    /// Of the turns that were asked about.
    pub(crate) outcomes: Vec<&'a [Outcome]>,
    /// All who were asked.
    pub(crate) routers: Vec<Router>,
    /// `(expected, real)` success of the store, of every turn and model.
    pub(crate) successes: Vec<(f64, f64)>,
    /// The store's recommendations.
    pub(crate) bets: Vec<Bet>,
}

impl Router {
    /// Nothing chosen yet.
    pub(crate) const fn new(kind: RouterKind) -> Self {
        Self { kind, choices: Vec::new(), usual: Vec::new(), success: Vec::new(), silent: 0 }
    }
}

/// The past of one part as every router sees it.
struct Questions<'a> {
    means: &'a Means,
    sweep: Sweep,
    usual: Sweep,
    baseline: usize,
}

impl Questions<'_> {
    /// Asks the store, whose best model always acts and whose recommendations do.
    fn ask_store(&self, routers: &mut [Router; 2], expected: &mut Expected<'_>) {
        let success = self.filled(expected.successes());
        let advice = expected.advice(USUAL_WEIGHT, self.baseline);
        let choices = self.sweep.advised(expected).into_iter().zip(self.usual.advised(expected));
        let spoke = [advice.best, advice.recommended];
        for ((router, (choices, usual)), spoke) in routers.iter_mut().zip(choices).zip(spoke) {
            router.choices.push(choices);
            router.usual.push(usual);
            router.silent += usize::from(spoke.is_none());
            router.success.push(success.clone());
        }
    }

    /// Asks one of the others: the formula of the paper behind its thresholds, or whoever forecasts.
    fn ask(&self, router: &mut Router, forecasts: &[Option<Forecast>]) {
        let gate = (router.kind == RouterKind::Paper).then(|| Gate::of(Estimator::Paper));
        let choose = |weight| gate.map_or_else(|| best(forecasts, weight), |gate| gate.leader(forecasts, weight));
        router.choices.push(self.sweep.choices(choose));
        router.usual.push(self.usual.choices(choose));
        router.silent += usize::from(choose(USUAL_WEIGHT).is_none());
        let successes = forecasts.iter().map(|forecast| forecast.map(|forecast| forecast.success));
        router.success.push(self.filled(successes.collect()));
    }

    /// With the mean of a model where nothing else is expected of it.
    fn filled(&self, successes: Vec<Option<f64>>) -> Vec<f64> {
        let known = successes.into_iter().zip(&self.means.models);
        known.map(|(success, mean)| success.or_else(|| mean.map(|(mean, _)| mean)).unwrap_or(0.0)).collect()
    }
}

/// Replays a set.
pub(crate) fn run<'a>(set: &'a Set, stream: &Stream<'_>, parts: &[Part], plan: Plan) -> Trial<'a> {
    use RouterKind::{FiveNearest, HundredNearest, Logistic as Regression, Paper, Store, StoreRouted};
    let mut trial = Trial { outcomes: Vec::new(), routers: Vec::new(), successes: Vec::new(), bets: Vec::new() };
    let mut own = [Store, StoreRouted].map(Router::new);
    let mut paper = Router::new(Paper);
    let mut baselines = [FiveNearest, HundredNearest, Regression].map(Router::new);
    for part in parts {
        let lessons = past(set, part, plan.mode, plan.most, plan.draw);
        let means = Means::of(set, &lessons);
        // A user's default was chosen with care: from all that is known of the past, however little the store has seen.
        let every: Vec<_> = part.train.iter().map(|turn| Lesson { turn: *turn, model: None }).collect();
        let defaults = Means::of(set, &every);
        let sweep = Sweep::over(&weights(), &defaults);
        let usual = Sweep::over(&[USUAL_WEIGHT], &defaults);
        let baseline = defaults.best(USUAL_WEIGHT);
        let asking = Questions { means: &means, sweep, usual, baseline };
        let learned = stream.learn(&lessons);
        let questions = asked(set, part, plan.asked);
        let questions = questions.iter();
        for place in questions.clone() {
            let turn = &set.turns[*place];
            let mut expected = learned.expected(*place);
            asking.ask_store(&mut own, &mut expected);
            if plan.others {
                asking.ask(&mut paper, &learned.paper(*place));
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
                    asking.ask(router, &forecasts);
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

/// The turns that are asked about: all, or some of every kind.
fn asked(set: &Set, part: &Part, most: usize) -> Vec<usize> {
    let mut places = part.test.clone();
    places.sort_by_cached_key(|place| (hash("asked: ", &set.turns[*place].id), *place));
    places.truncate(most);
    places
}

/// What is recommended at the usual weight against the other model, and what that brought.
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
