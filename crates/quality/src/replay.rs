//! Replays of a prompt set: a pattern store records training turns, and is queried for test turns.

use contracts::{
    Features, ModelId, NanoUsd, Score, TokenBucket, TurnId,
    views::{Estimator, PatternQuery, PatternSettings},
};
use event_core::{EventId, Timestamp};
use patterns::{Sample, Store, features};

use crate::{
    data::{Outcome, PromptSet, Turn},
    forecast::Forecast,
    numbers::{billionths, score_to_f64},
    split::TrainingTurn,
    store_estimates::StoreEstimates,
};

/// A prompt set prepared for replays: with valid model ids, and with the features of each turn.
#[derive(Debug)]
pub(crate) struct PreparedSet<'a> {
    /// The set.
    set: &'a PromptSet,
    /// An id for each model, in the order of the set.
    models: Vec<ModelId>,
    /// The features of each turn.
    features: Vec<Features>,
}

/// A pattern store that has recorded training turns.
#[derive(Debug)]
pub(crate) struct TrainedStore<'a> {
    /// The set on which the store was trained.
    prepared: &'a PreparedSet<'a>,
    /// The store with the outcomes of the training turns.
    store: Store,
}

impl<'a> PreparedSet<'a> {
    /// Prepares a set for replay: extracts the features of each prompt, and gives each model of `set.models` a numbered id at
    /// the same position.
    pub(crate) fn new(set: &'a PromptSet) -> Self {
        let by_group = set.is_grouped();
        // Numbered ids are valid whatever the names are, and keep the order of the set.
        let ids = (0..set.models.len()).map(|index| ModelId::try_from(format!("set:{index:04}").as_str()));
        Self {
            set,
            models: ids.filter_map(Result::ok).collect(),
            features: set.turns.iter().map(|turn| extract_features(turn, by_group)).collect(),
        }
    }

    /// Returns the features of every turn.
    pub(crate) fn features(&self) -> &[Features] {
        &self.features
    }

    /// Trains a pattern store: records the training turns with their known outcomes one after another.
    pub(crate) fn train(&self, training: &[TrainingTurn]) -> TrainedStore<'_> {
        let mut store = Store::default();
        for (second, training_turn) in (1_u64..).zip(training) {
            let turn = &self.set.turns[training_turn.index];
            let at = Timestamp(second * 1_000_000);
            let numbered_outcomes = self.models.iter().zip(&turn.outcomes).enumerate();
            for (_, (model, outcome)) in numbered_outcomes.filter(|(index, _)| training_turn.has_outcome_of(*index)) {
                let row = store.record(Sample {
                    turn: TurnId(EventId::derive(&[turn.id.as_bytes()])),
                    features: &self.features[training_turn.index],
                    model,
                    cost: Some(nano_dollars(outcome)),
                    at,
                });
                store.replace_score(row, None, Some(Score(billionths(outcome.score).min(Score::ONE.0))), at);
            }
        }
        TrainedStore { prepared: self, store }
    }
}

impl TrainedStore<'_> {
    /// Estimates the outcome of each model on a turn with the calibrated estimator. `turn` is an index in the set.
    pub(crate) fn estimates(&self, turn: usize) -> StoreEstimates<'_> {
        let settings = PatternSettings::defaults_for(Estimator::Calibrated);
        let estimates = self.store.estimate(&self.prepared.features[turn], &settings, &|_| true);
        StoreEstimates::new(&self.prepared.models, estimates)
    }

    /// Predicts the outcome of each model on a turn with the estimator `Paper`; `None` for models without neighbours.
    /// `turn` is an index in the set.
    ///
    /// The score of a model at cost weight 0 is its success, that at cost weight 1 its savings, so two queries yield
    /// both.
    pub(crate) fn paper_forecasts(&self, turn: usize) -> Vec<Option<Forecast>> {
        let mut forecasts = vec![None; self.prepared.models.len()];
        let [by_success, by_savings] = [Score::ZERO, Score::ONE].map(|cost_weight| {
            let settings = PatternSettings { cost_weight, ..PatternSettings::defaults_for(Estimator::Paper) };
            let features = &self.prepared.features[turn];
            self.store.recommend(&PatternQuery {
                workspace: None,
                features,
                settings: &settings,
                baseline: None,
                known: &|_| true,
            })
        });
        let (Some(by_success), Some(by_savings)) = (by_success, by_savings) else { return forecasts };
        for alternative in by_success.alternatives {
            let savings_alternative = by_savings
                .alternatives
                .iter()
                .find(|savings_alternative| savings_alternative.model == alternative.model);
            let index = self.prepared.models.binary_search(&alternative.model).ok();
            if let (Some(success), Some(saved), Some(index)) = (
                alternative.score,
                savings_alternative.and_then(|savings_alternative| savings_alternative.score),
                index,
            ) {
                let (success, saved) = (score_to_f64(success), score_to_f64(saved));
                forecasts[index] = Some(Forecast { success, saved, samples: alternative.samples });
            }
        }
        forecasts
    }
}

/// Extracts the features of a prompt. The kind of work is a feature only if `by_group`.
fn extract_features(turn: &Turn, by_group: bool) -> Features {
    Features {
        // Four bytes for each token, as in estimates of live turns.
        tokens: TokenBucket::from_tokens(turn.prompt.len() as u64 / 4),
        intents: features::intent_tags(&turn.prompt),
        workload: turn.group.clone().filter(|_| by_group),
        sketch: features::sketch(&turn.prompt),
        ..Features::default()
    }
}

/// Converts the cost of an outcome from dollars to nano-dollars, rounded.
fn nano_dollars(outcome: &Outcome) -> NanoUsd {
    NanoUsd(billionths(outcome.cost))
}
