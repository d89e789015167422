//! One replay of a set: the same past for the store and for what it has to beat, the same questions to all.

use contracts::views::{Estimator, PatternSettings};

use crate::{
    baseline::{Logistic, Neighbours},
    data::{Outcome, Set},
    failure::Failure,
    forecast::{Forecast, Means},
    hash::hash,
    replay::Stream,
    rule::{Gate, Rule, recommended},
    split::{Lesson, Mode, Part, past},
    sweep::{Choices, Sweep, USUAL_WEIGHT, weights},
};

/// Every so many turns what is computed here is compared with what the store itself recommends.
const CHECKED: usize = 50;

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

    fn rule(&self) -> Rule {
        match self.kind {
            RouterKind::StoreRouted => Rule::Calibrated(Gate::of(Estimator::Calibrated)),
            RouterKind::Paper => Rule::Paper(Gate::of(Estimator::Paper)),
            _ => Rule::Alone,
        }
    }
}

/// The past of one part as every router sees it.
struct Asking<'a> {
    means: &'a Means,
    sweep: Sweep,
    usual: Sweep,
    instead: usize,
}

impl Asking<'_> {
    fn ask(&self, router: &mut Router, forecasts: &[Option<Forecast>]) {
        let rule = router.rule();
        router.choices.push(self.sweep.choices(forecasts, rule));
        router.usual.push(self.usual.choices(forecasts, rule));
        router.silent += usize::from(rule.choose(forecasts, USUAL_WEIGHT, self.instead).is_none());
        let known = forecasts.iter().zip(&self.means.models);
        let success = known.map(|(forecast, mean)| match (forecast, mean) {
            (Some(forecast), _) => forecast.success,
            (None, Some((mean, _))) => *mean,
            (None, None) => 0.0,
        });
        router.success.push(success.collect());
    }
}

/// Replays a set.
pub(crate) fn run<'a>(set: &'a Set, stream: &Stream<'_>, parts: &[Part], plan: Plan) -> Result<Trial<'a>, Failure> {
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
        let instead = defaults.best(USUAL_WEIGHT);
        let asking = Asking { means: &means, sweep, usual, instead };
        let learned = stream.learn(&lessons);
        let questions = asked(set, part, plan.asked);
        let questions = questions.iter();
        for (index, place) in questions.clone().enumerate() {
            let turn = &set.turns[*place];
            let forecasts = learned.calibrated(*place);
            let [store, routed] = &mut own;
            asking.ask(store, &forecasts);
            asking.ask(routed, &forecasts);
            if plan.others {
                asking.ask(&mut paper, &learned.paper(*place));
            }
            if index % CHECKED == 0 {
                learned.check(*place, USUAL_WEIGHT, instead)?;
            }
            trial.bets.extend(bet(&forecasts, &means, &turn.outcomes, instead));
            let known = forecasts.iter().zip(&turn.outcomes);
            let successes = known.filter_map(|(forecast, outcome)| Some(((*forecast)?.success, outcome.score)));
            trial.successes.extend(successes);
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
    Ok(trial)
}

/// The turns that are asked about: all, or some of every kind.
fn asked(set: &Set, part: &Part, most: usize) -> Vec<usize> {
    let mut places = part.test.clone();
    places.sort_by_cached_key(|place| (hash("asked: ", &set.turns[*place].id), *place));
    places.truncate(most);
    places
}

/// What is recommended at the usual weight against the other model, and what that brought.
fn bet(forecasts: &[Option<Forecast>], means: &Means, outcomes: &[Outcome], instead: usize) -> Option<Bet> {
    let fewest = PatternSettings::of(Estimator::Calibrated).min_sample_size;
    let found = recommended(forecasts, USUAL_WEIGHT, instead, fewest)?;
    let other = found.other?;
    let real = |place: usize| {
        let Outcome { score, cost } = outcomes[place];
        let saved = means.saved(cost);
        Forecast { success: score, saved, ..Forecast::default() }.utility(USUAL_WEIGHT)
    };
    let bet = Bet {
        confidence: found.confidence,
        expected: found.gap,
        gained: real(found.model) - real(other),
        scored: outcomes[found.model].score - outcomes[other].score,
        models: (found.model, other),
    };
    (0.0 < found.confidence).then_some(bet)
}
