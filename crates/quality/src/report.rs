//! Measures a prompt set: in both modes, with all training sizes, and with all routers.

use std::thread;

use serde::Serialize;

use crate::{
    bootstrap::{AiqDifference, compare_routers},
    calibration::Calibration,
    data::{Outcome, PromptSet},
    failure::Failure,
    figures::{Figures, References},
    forecast::{Forecast, Means, best_index},
    replay::PreparedSet,
    split::{KnownOutcomes, TrainingTurn, TurnSplit, split_set},
    sweep::{DEFAULT_WEIGHT, WeightSweep, cost_weights},
    trial::{Router, RouterKind, Trial, TrialPlan, run_trial},
};

/// Training sizes (in turns) in addition to the full training set, each with its number of draws.
const TRAINING_SIZES: [(usize, u32); 3] = [(50, 5), (200, 5), (1_500, 1)];

/// A training size is measured only if the full training set is at least this many times as large.
const MIN_RATIO: usize = 2;

/// The extent of a measurement: all turns, or a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasurementExtent {
    /// Measures all turns with all routers.
    Whole,
    /// Measures a sample of training and test turns without the baseline methods, in a few seconds.
    Reduced,
}

/// The number of training turns in the reduced measurement.
const REDUCED_TRAINING_TURNS: usize = 600;

/// The number of test turns of each split in the reduced measurement.
const REDUCED_TEST_TURNS: usize = 300;

/// The measurements of model choice on one set of prompts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetReport {
    /// The name of the set.
    pub set: String,
    /// The number of turns in the set.
    pub turns: usize,
    /// The number of models in the set.
    pub models: usize,
    /// The number of test turns in all splits.
    pub asked: usize,
    /// The number of splits: 1 if the set is split once, otherwise the number of folds.
    pub parts: usize,
    /// Whether most prompts are not public, so that the kind of work replaces them.
    pub by_group: bool,
    /// The figures of the reference routers.
    pub references: References,
    /// The measurements by mode, then by training size in descending order.
    pub trials: Vec<TrialReport>,
}

/// The measurements in one mode with one training size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialReport {
    /// Which outcomes of training turns are known.
    pub mode: KnownOutcomes,
    /// The number of training turns; that of the smallest split if there are several.
    pub past: usize,
    /// Whether all training turns are used.
    pub whole: bool,
    /// The number of draws of training turns over which the figures are averaged.
    pub draws: u32,
    /// The figures of each router.
    pub figures: Vec<Figures>,
    /// The differences in AIQ between the store and the other routers; empty for several draws and for a reduced
    /// measurement.
    pub margins: Vec<RouterDifference>,
    /// The calibration of the store over all draws.
    pub calibration: Calibration,
}

/// The difference in AIQ (average improvement in quality) between the router that uses the pattern store and another
/// router: the former minus the latter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RouterDifference {
    /// The store, with or without thresholds.
    pub store: RouterKind,
    /// The router that the store is compared with.
    pub other: RouterKind,
    /// The difference with its confidence interval.
    pub margin: AiqDifference,
}

/// Measures a prompt set in both modes, which run in parallel. `progress` is called with a line of text after each
/// training size, from two threads.
///
/// # Errors
/// [`Failure::NoTestTurns`] if the set has no test turns, [`Failure::Stopped`] if a thread panicked.
pub fn measure(
    set: &PromptSet,
    effort: MeasurementExtent,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<SetReport, Failure> {
    let benchmark = Benchmark { set, prepared: PreparedSet::new(set), splits: split_set(set), effort, progress };
    let (full, partial) = thread::scope(|scope| {
        let partial = scope.spawn(|| benchmark.trials(KnownOutcomes::Partial));
        (benchmark.trials(KnownOutcomes::Full), partial.join())
    });
    let partial = partial.map_err(|_| Failure::Stopped { set: set.name.clone() })?;
    let (references, trials): (Vec<_>, Vec<_>) = full.into_iter().chain(partial).unzip();
    let references = references.into_iter().next().ok_or_else(|| Failure::NoTestTurns { set: set.name.clone() })?;
    Ok(SetReport {
        set: set.name.clone(),
        turns: set.turns.len(),
        models: set.models.len(),
        asked: benchmark.splits.iter().map(|split| split.test.len().min(max_test_turns(effort))).sum(),
        parts: benchmark.splits.len(),
        by_group: set.is_grouped(),
        references,
        trials,
    })
}

/// A prompt set prepared for measurements, with the parameters of the measurements.
struct Benchmark<'a> {
    /// The set to measure.
    set: &'a PromptSet,
    /// The set with the features of its turns.
    prepared: PreparedSet<'a>,
    /// The splits into training and test turns.
    splits: Vec<TurnSplit>,
    /// The extent of the measurement.
    effort: MeasurementExtent,
    /// Receives a line of text after each training size.
    progress: &'a (dyn Fn(&str) + Sync),
}

impl Benchmark<'_> {
    /// Measures all training sizes in one mode. Returns, for each size, the figures of the reference routers and the
    /// measurements, on the same test turns.
    fn trials(&self, mode: KnownOutcomes) -> Vec<(References, TrialReport)> {
        let max_size = self.splits.iter().map(|split| split.train.len()).min().unwrap_or(0);
        let mut results = Vec::new();
        for (size, draws) in training_sizes(max_size, self.effort) {
            let plan = |draw| TrialPlan {
                mode,
                // The sizes of the splits differ slightly.
                max_training_turns: if size == max_size { usize::MAX } else { size },
                draw,
                max_test_turns: max_test_turns(self.effort),
                with_baselines: draws == 1 && self.effort == MeasurementExtent::Whole,
            };
            let trial = |draw| run_trial(self.set, &self.prepared, &self.splits, plan(draw));
            let trials: Vec<_> = (0..draws).map(trial).collect();
            let Some(first_trial) = trials.first().filter(|first_trial| !first_trial.outcomes.is_empty()) else {
                continue;
            };
            let figures = (0..first_trial.routers.len()).filter_map(|router| {
                let draws = trials.iter().map(|trial| Figures::compute(&trial.outcomes, &trial.routers[router]));
                Figures::mean(&draws.collect::<Vec<_>>())
            });
            let report = TrialReport {
                mode,
                past: size,
                whole: size == max_size,
                draws,
                figures: figures.collect(),
                margins: if draws == 1 && self.effort == MeasurementExtent::Whole {
                    compare_with_store(first_trial)
                } else {
                    Vec::new()
                },
                calibration: Calibration::compute(&trials),
            };
            let store = report.figures.first().map_or(0.0, |figures| figures.aiq);
            (self.progress)(&format!("{}, {mode:?}, {size} past turns × {draws}: AIQ {store:.4}", self.set.name));
            results.push((measure_references(self.set, first_trial), report));
        }
        results
    }
}

/// Returns the greatest number of test turns in each split.
const fn max_test_turns(effort: MeasurementExtent) -> usize {
    match effort {
        MeasurementExtent::Whole => usize::MAX,
        MeasurementExtent::Reduced => REDUCED_TEST_TURNS,
    }
}

/// Returns the training sizes to measure, each with its number of draws, the largest size first. `max_size` is the number
/// of all training turns.
fn training_sizes(max_size: usize, effort: MeasurementExtent) -> Vec<(usize, u32)> {
    if effort == MeasurementExtent::Reduced {
        return vec![(max_size.min(REDUCED_TRAINING_TURNS), 1)];
    }
    let smaller = TRAINING_SIZES.into_iter().rev().filter(|(size, _)| MIN_RATIO * size <= max_size);
    [(max_size, 1)].into_iter().chain(smaller).collect()
}

/// Computes the figures of the reference routers on the test turns of a trial. The oracle always selects the model with
/// the greatest observed utility.
fn measure_references(set: &PromptSet, trial: &Trial<'_>) -> References {
    let all_turns: Vec<TrainingTurn> = (0..set.turns.len()).map(|index| TrainingTurn { index, model: None }).collect();
    let means = Means::compute(set, &all_turns);
    let (sweep, default_sweep) =
        (WeightSweep::new(&cost_weights(), &means), WeightSweep::new(&[DEFAULT_WEIGHT], &means));
    let mut oracle = Router::new(RouterKind::Store);
    for outcomes in &trial.outcomes {
        let forecast = |outcome: &Outcome| {
            let savings = means.saved(outcome.cost);
            Some(Forecast { success: outcome.score, saved: savings, ..Forecast::default() })
        };
        let forecasts: Vec<_> = outcomes.iter().map(forecast).collect();
        oracle.choices.push(sweep.select_with(|weight| best_index(&forecasts, weight)));
        oracle.default_choices.push(default_sweep.select_with(|weight| best_index(&forecasts, weight)));
    }
    References::compute(&trial.outcomes, &set.models, &oracle)
}

/// Computes the differences in AIQ between the store, with and without thresholds, and all other routers, on the same
/// resamples.
fn compare_with_store(trial: &Trial<'_>) -> Vec<RouterDifference> {
    let choices: Vec<_> = trial.routers.iter().map(|router| router.choices.as_slice()).collect();
    let (stores, others): (Vec<_>, Vec<_>) =
        (0..trial.routers.len()).partition(|index| trial.routers[*index].kind.is_store());
    let pairs: Vec<_> = stores.iter().flat_map(|store| others.iter().map(move |other| (*store, *other))).collect();
    let margins = compare_routers(&trial.outcomes, &choices, &pairs).into_iter().zip(&pairs);
    let kind = |index: usize| trial.routers[index].kind;
    margins
        .map(|(margin, (store, other))| RouterDifference { store: kind(*store), other: kind(*other), margin })
        .collect()
}
