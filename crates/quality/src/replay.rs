//! Replays of a set: a store records training turns and is queried for test turns.

use contracts::{
    Features, ModelId, NanoUsd, Score, TokenBucket, TurnId,
    views::{Estimator, PatternQuery, PatternSettings},
};
use event_core::{EventId, Timestamp};
use patterns::{Sample, Store, features};

use crate::{
    data::{Outcome, Set, Turn},
    expected::Expected,
    forecast::Forecast,
    number::{billionths, share},
    split::Lesson,
};

/// A set prepared for replays: its turns with their features.
#[derive(Debug)]
pub(crate) struct Stream<'a> {
    set: &'a Set,
    models: Vec<ModelId>,
    features: Vec<Features>,
}

/// A store that was trained on a part of a set.
#[derive(Debug)]
pub(crate) struct Learned<'a> {
    stream: &'a Stream<'a>,
    store: Store,
}

impl<'a> Stream<'a> {
    /// Extracts the features of every prompt.
    pub(crate) fn of(set: &'a Set) -> Self {
        let by_group = set.is_grouped();
        // Numbered ids are valid whatever the names are, and keep the order of the set.
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

    /// Trains a store: records and judges the training turns one after another.
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
                store.replace_score(row, None, Some(Score(billionths(outcome.score).min(Score::ONE.0))), at);
            }
        }
        Learned { stream: self, store }
    }
}

impl Learned<'_> {
    /// Estimates the outcome of each model on a turn with the calibrated estimator.
    pub(crate) fn expected(&self, turn: usize) -> Expected<'_> {
        let settings = PatternSettings::of(Estimator::Calibrated);
        let estimates = self.store.estimate(&self.stream.features[turn], &settings, &|_| true);
        Expected::new(&self.stream.models, estimates)
    }

    /// Predicts the outcome of each model on a turn with the formula of 004. The formula's score at cost weight 0 is
    /// the success, at 1 the efficiency.
    pub(crate) fn paper(&self, turn: usize) -> Vec<Option<Forecast>> {
        let mut forecasts = vec![None; self.stream.models.len()];
        let [quality, cost] = [Score::ZERO, Score::ONE].map(|cost_weight| {
            let settings = PatternSettings { cost_weight, ..PatternSettings::of(Estimator::Paper) };
            let features = &self.stream.features[turn];
            self.store.recommend(&PatternQuery {
                workspace: None,
                features,
                settings: &settings,
                baseline: None,
                known: &|_| true,
            })
        });
        let (Some(quality), Some(cost)) = (quality, cost) else { return forecasts };
        for alternative in quality.alternatives {
            let other = cost.alternatives.iter().find(|other| other.model == alternative.model);
            let place = self.stream.models.binary_search(&alternative.model).ok();
            if let (Some(success), Some(saved), Some(place)) =
                (alternative.score, other.and_then(|other| other.score), place)
            {
                let (success, saved) = (share(success), share(saved));
                forecasts[place] = Some(Forecast { success, saved, samples: alternative.samples });
            }
        }
        forecasts
    }
}

fn features_of(turn: &Turn, by_group: bool) -> Features {
    Features {
        // Four bytes for each token, as in estimates of live turns.
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
