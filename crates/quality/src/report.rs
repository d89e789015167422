//! Measurements of a set: both modes, all training sizes, all routers.

use std::thread;

use serde::Serialize;

use crate::{
    bootstrap::{Margin, margins},
    calibration::Calibration,
    data::{Outcome, Set},
    failure::Failure,
    figures::{Figures, References},
    forecast::{Forecast, Means, best},
    replay::Stream,
    split::{Lesson, Mode, Part, parts},
    sweep::{Sweep, USUAL_WEIGHT, weights},
    trial::{Plan, Router, RouterKind, Trial, run},
};

/// Training sizes besides the whole training set, each with its number of draws.
const SIZES: [(usize, u32); 3] = [(50, 5), (200, 5), (1_500, 1)];

/// A size is measured if the training set is at least this many times as large.
const MIN_RATIO: usize = 2;

/// The extent of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Measures all turns with all routers.
    Whole,
    /// Measures a sample of training and test turns without the baseline methods, in a few seconds.
    Reduced,
}

/// Training turns of the reduced measurement.
const REDUCED_PAST: usize = 600;

/// Test turns of each part in the reduced measurement.
const REDUCED_ASKED: usize = 300;

/// The measurements of one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetReport {
    /// The name of the set.
    pub set: String,
    /// The number of turns in the set.
    pub turns: usize,
    /// The number of models in the set.
    pub models: usize,
    /// The number of test turns.
    pub asked: usize,
    /// The number of parts: 1 for fixed halves, otherwise the number of folds.
    pub parts: usize,
    /// Whether most prompts are not public, so that the kind of work replaces them.
    pub by_group: bool,
    /// Reference values that need no training.
    pub references: References,
    /// The results for each mode and training size; the largest size of each mode first.
    pub trials: Vec<TrialReport>,
}

/// The measurements with one training size in one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialReport {
    /// Which outcomes of training turns are known.
    pub mode: Mode,
    /// The number of training turns of the smallest part.
    pub past: usize,
    /// Whether that is the whole training set.
    pub whole: bool,
    /// The number of draws of training turns.
    pub draws: u32,
    /// The figures of each router.
    pub figures: Vec<Figures>,
    /// The differences in AIQ between the store and the other routers, for the first draw.
    pub margins: Vec<Against>,
    /// The calibration of the store over all draws.
    pub calibration: Calibration,
}

/// A comparison of the store with another router.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Against {
    /// The store, with or without thresholds.
    pub store: RouterKind,
    /// The router that the store is compared with.
    pub other: RouterKind,
    /// The difference in AIQ, with its interval.
    pub margin: Margin,
}

/// Measures a set, both modes in parallel. `progress` receives a line after each trial.
pub fn measure(set: &Set, effort: Effort, progress: &(dyn Fn(&str) + Sync)) -> Result<SetReport, Failure> {
    let bench = Bench { set, stream: Stream::of(set), parts: parts(set), effort, progress };
    let (full, partial) = thread::scope(|scope| {
        let partial = scope.spawn(|| bench.trials(Mode::Partial));
        (bench.trials(Mode::Full), partial.join())
    });
    let partial = partial.map_err(|_| Failure::Stopped { set: set.name.clone() })?;
    let (references, trials): (Vec<_>, Vec<_>) = full.into_iter().chain(partial).unzip();
    let references = references.into_iter().next().ok_or_else(|| Failure::NoTestTurns { set: set.name.clone() })?;
    Ok(SetReport {
        set: set.name.clone(),
        turns: set.turns.len(),
        models: set.models.len(),
        asked: bench.parts.iter().map(|part| part.test.len().min(asked(effort))).sum(),
        parts: bench.parts.len(),
        by_group: set.is_grouped(),
        references,
        trials,
    })
}

/// A set prepared for measurements.
struct Bench<'a> {
    set: &'a Set,
    stream: Stream<'a>,
    parts: Vec<Part>,
    effort: Effort,
    progress: &'a (dyn Fn(&str) + Sync),
}

impl Bench<'_> {
    /// Measures all training sizes in one mode, and the references on the same test turns.
    fn trials(&self, mode: Mode) -> Vec<(References, TrialReport)> {
        let whole = self.parts.iter().map(|part| part.train.len()).min().unwrap_or(0);
        let mut found = Vec::new();
        for (most, draws) in sizes(whole, self.effort) {
            let plan = |draw| Plan {
                mode,
                // The sizes of the parts differ slightly.
                most: if most == whole { usize::MAX } else { most },
                draw,
                asked: asked(self.effort),
                others: draws == 1 && self.effort == Effort::Whole,
            };
            let trial = |draw| run(self.set, &self.stream, &self.parts, plan(draw));
            let trials: Vec<_> = (0..draws).map(trial).collect();
            let Some(first) = trials.first().filter(|first| !first.outcomes.is_empty()) else { continue };
            let figures = (0..first.routers.len()).filter_map(|router| {
                let draws = trials.iter().map(|trial| Figures::of(&trial.outcomes, &trial.routers[router]));
                Figures::mean(&draws.collect::<Vec<_>>())
            });
            let report = TrialReport {
                mode,
                past: most,
                whole: most == whole,
                draws,
                figures: figures.collect(),
                margins: if draws == 1 && self.effort == Effort::Whole { against(first) } else { Vec::new() },
                calibration: Calibration::of(&trials),
            };
            let store = report.figures.first().map_or(0.0, |figures| figures.aiq);
            (self.progress)(&format!("{}, {mode:?}, {most} past turns × {draws}: AIQ {store:.4}", self.set.name));
            found.push((references(self.set, first), report));
        }
        found
    }
}

const fn asked(effort: Effort) -> usize {
    match effort {
        Effort::Whole => usize::MAX,
        Effort::Reduced => REDUCED_ASKED,
    }
}

/// Training sizes with their number of draws, the largest first.
fn sizes(whole: usize, effort: Effort) -> Vec<(usize, u32)> {
    if effort == Effort::Reduced {
        return vec![(whole.min(REDUCED_PAST), 1)];
    }
    let smaller = SIZES.into_iter().rev().filter(|(size, _)| MIN_RATIO * size <= whole);
    [(whole, 1)].into_iter().chain(smaller).collect()
}

fn references(set: &Set, trial: &Trial<'_>) -> References {
    let every: Vec<Lesson> = (0..set.turns.len()).map(|turn| Lesson { turn, model: None }).collect();
    let means = Means::of(set, &every);
    let (sweep, usual) = (Sweep::over(&weights(), &means), Sweep::over(&[USUAL_WEIGHT], &means));
    let mut oracle = Router::new(RouterKind::Store);
    for outcomes in &trial.outcomes {
        let known = |outcome: &Outcome| {
            let saved = means.saved(outcome.cost);
            Some(Forecast { success: outcome.score, saved, ..Forecast::default() })
        };
        let forecasts: Vec<_> = outcomes.iter().map(known).collect();
        oracle.choices.push(sweep.choices(|weight| best(&forecasts, weight)));
        oracle.usual.push(usual.choices(|weight| best(&forecasts, weight)));
    }
    References::of(&trial.outcomes, &set.models, &oracle)
}

/// Compares the store, with and without thresholds, with all other routers on the same resamples.
fn against(trial: &Trial<'_>) -> Vec<Against> {
    let choices: Vec<_> = trial.routers.iter().map(|router| router.choices.as_slice()).collect();
    let (stores, others): (Vec<_>, Vec<_>) =
        (0..trial.routers.len()).partition(|place| trial.routers[*place].kind.is_store());
    let pairs: Vec<_> = stores.iter().flat_map(|store| others.iter().map(move |other| (*store, *other))).collect();
    let margins = margins(&trial.outcomes, &choices, &pairs).into_iter().zip(&pairs);
    let kind = |place: usize| trial.routers[place].kind;
    margins.map(|(margin, (store, other))| Against { store: kind(*store), other: kind(*other), margin }).collect()
}
