//! A set as a stream of turns with outcomes: a store learns from the past ones and is asked about the others.

use contracts::{
    Features, ModelId, NanoUsd, Score, TokenBucket, TurnId,
    views::{Asking, Estimator, PatternSettings},
};
use event_core::{EventId, Timestamp};
use patterns::{Sample, Store, features};

use crate::{
    data::{Outcome, Set, Turn},
    failure::Failure,
    forecast::{Forecast, Means},
    rule::{recommended, share},
    split::Lesson,
};

/// A set as a live store sees it.
#[derive(Debug)]
pub(crate) struct Stream<'a> {
    set: &'a Set,
    models: Vec<ModelId>,
    features: Vec<Features>,
}

/// A store that has learned, and what it learned from.
#[derive(Debug)]
pub(crate) struct Learned<'a> {
    stream: &'a Stream<'a>,
    store: Store,
    means: Means,
}

impl<'a> Stream<'a> {
    /// Takes features from the prompts.
    pub(crate) fn of(set: &'a Set) -> Self {
        let by_group = set.goes_by_group();
        // Numbered, so that they are valid ids whatever they are called, and in the order of the set.
        let ids = (0..set.models.len()).map(|place| ModelId::try_from(format!("set:{place:04}").as_str()));
        Self {
            set,
            models: ids.filter_map(Result::ok).collect(),
            features: set.turns.iter().map(|turn| features_of(turn, by_group)).collect(),
        }
    }

    /// The features of every turn.
    pub(crate) fn features(&self) -> &[Features] {
        &self.features
    }

    /// A store that has recorded and judged the lessons one after another.
    pub(crate) fn learn(&self, lessons: &[Lesson]) -> Learned<'_> {
        let mut store = Store::default();
        for (moment, lesson) in (1_u64..).zip(lessons) {
            let turn = &self.set.turns[lesson.turn];
            let at = Timestamp(moment * 1_000_000);
            let all = self.models.iter().zip(&turn.outcomes).enumerate();
            for (_, (model, outcome)) in all.filter(|(place, _)| lesson.knows(*place)) {
                let row = store.record(Sample {
                    turn: TurnId(EventId::derive(&[turn.id.as_bytes()])),
                    features: &self.features[lesson.turn],
                    model,
                    cost: Some(nano_dollars(outcome)),
                    at,
                });
                store.judge(row, None, Some(Score(billionths(outcome.score).min(Score::ONE.0))), at);
            }
        }
        Learned { stream: self, store, means: Means::of(self.set, lessons) }
    }
}

impl Learned<'_> {
    /// What the calibrated estimator expects of each model on a turn; `None` for models it knows nothing of. Its
    /// errors at the two ends of the cost weight are what it weighs between them.
    pub(crate) fn calibrated(&self, turn: usize) -> Vec<Option<Forecast>> {
        let mut forecasts = vec![None; self.stream.models.len()];
        let [quality, cost] = [Score::ZERO, Score::ONE].map(|cost_weight| {
            let settings = PatternSettings { cost_weight, ..PatternSettings::of(Estimator::Calibrated) };
            self.store.expect(&self.stream.features[turn], &settings, &|_| true)
        });
        for estimate in quality {
            let Some(other) = cost.iter().find(|other| other.model == estimate.model) else { continue };
            let forecast = Forecast {
                success: share(estimate.success),
                saved: estimate.cost.map_or(0.0, |cost| self.means.saved(dollars(cost))),
                error: share(estimate.error),
                saved_error: share(other.error),
                samples: estimate.samples,
                outcomes: u64::from(estimate.outcomes),
            };
            self.put(&mut forecasts, &estimate.model, forecast);
        }
        forecasts
    }

    /// What the formula of the paper makes of each model on a turn: its scores at the two ends of the cost weight are
    /// the two numbers that it blends between them.
    pub(crate) fn paper(&self, turn: usize) -> Vec<Option<Forecast>> {
        let mut forecasts = vec![None; self.stream.models.len()];
        let [quality, cost] = [Score::ZERO, Score::ONE].map(|cost_weight| {
            let settings = PatternSettings { cost_weight, ..PatternSettings::of(Estimator::Paper) };
            self.store.recommend(&asking(&self.stream.features[turn], &settings, None))
        });
        let (Some(quality), Some(cost)) = (quality, cost) else { return forecasts };
        for alternative in quality.alternatives {
            let other = cost.alternatives.iter().find(|other| other.model == alternative.model);
            if let (Some(success), Some(saved)) = (alternative.score, other.and_then(|other| other.score)) {
                let (success, saved) = (share(success), share(saved));
                let samples = alternative.samples;
                let forecast = Forecast { success, saved, samples, ..Forecast::default() };
                self.put(&mut forecasts, &alternative.model, forecast);
            }
        }
        forecasts
    }

    /// Fails when the store recommends something else for a turn than its estimates lead to here.
    pub(crate) fn check(&self, turn: usize, cost_weight: f64, instead_place: usize) -> Result<(), Failure> {
        let cost_weight = Score(billionths(cost_weight));
        let settings = PatternSettings { cost_weight, ..PatternSettings::of(Estimator::Calibrated) };
        let instead = self.stream.models.get(instead_place);
        let store = self.store.recommend(&asking(&self.stream.features[turn], &settings, instead));
        let fewest = settings.min_sample_size;
        let here = recommended(&self.calibrated(turn), share(cost_weight), instead_place, fewest);
        let agree = match (&store, &here) {
            (None, None) => true,
            (Some(store), Some(here)) => {
                let same = self.place(&store.model) == Some(here.model);
                here.close || same && (share(store.confidence) - here.confidence).abs() < 0.01
            }
            _ => false,
        };
        let (store, here) = (format!("{store:?}"), format!("{here:?}"));
        if agree { Ok(()) } else { Err(Failure::Differs { set: self.stream.set.name.clone(), store, here }) }
    }

    fn put(&self, forecasts: &mut [Option<Forecast>], model: &ModelId, forecast: Forecast) {
        if let Some(place) = self.place(model).and_then(|place| forecasts.get_mut(place)) {
            *place = Some(forecast);
        }
    }

    fn place(&self, model: &ModelId) -> Option<usize> {
        self.stream.models.binary_search(model).ok()
    }
}

fn asking<'a>(features: &'a Features, settings: &'a PatternSettings, instead: Option<&'a ModelId>) -> Asking<'a> {
    Asking { workspace: None, features, settings, instead, known: &|_| true }
}

fn features_of(turn: &Turn, by_group: bool) -> Features {
    Features {
        // Four bytes a token, as estimates of a live turn go.
        tokens: TokenBucket::of(turn.prompt.len() as u64 / 4),
        intents: features::intent_tags(&turn.prompt),
        workload: turn.group.clone().filter(|_| by_group),
        sketch: features::sketch(&turn.prompt),
        ..Features::default()
    }
}

fn nano_dollars(outcome: &Outcome) -> NanoUsd {
    NanoUsd(billionths(outcome.cost))
}

/// A number of at least 0 in billionths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and nothing is below 0")]
fn billionths(number: f64) -> u64 {
    (number * 1e9).round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "the cost of one turn")]
fn dollars(nano: u64) -> f64 {
    nano as f64 / 1e9
}
