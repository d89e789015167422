//! Measures the error of the cost simulation: simulates the recorded model calls without any change and compares the
//! simulated costs with the recorded ones.

use contracts::{NanoUsd, Registry};
use costs::prompt_cache::{BasisPoints, Call, InitialRead, SessionComparison, SessionGroup, SimulationAccuracy};
use serde::Serialize;

/// The error of the cost simulation: the difference between recorded costs and costs simulated on the recorded models.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AccuracyReport {
    /// The number of sessions whose recorded cost is above zero.
    pub sessions: u64,
    /// The recorded cost of all sessions in nano-dollars.
    pub recorded_nano_usd: i64,
    /// The simulated cost of all sessions in nano-dollars.
    pub simulated_nano_usd: i64,
    /// The relative error of the total; negative if the simulation is too cheap.
    pub total: BasisPoints,
    /// The median over sessions of the absolute relative error.
    pub median: BasisPoints,
    /// The error by length of session in three equal groups, shortest first. It shows whether the error grows with
    /// length.
    pub thirds: Vec<SessionGroup>,
    /// The relative error of the total if the cache reads of each thread's first call are simulated instead of
    /// recorded.
    pub predicted_total: BasisPoints,
    /// The median of the absolute error under the same condition.
    pub predicted_median: BasisPoints,
}

/// Simulates the recorded model calls twice, to measure the error of the cost simulation: with recorded and with
/// simulated cache reads of each thread's first call.
#[derive(Debug)]
pub(crate) struct SimulationCheck {
    /// The simulation in which the first call of each thread reads from the cache as recorded.
    given: SimulationAccuracy,
    /// The simulation in which these cache reads are simulated, too.
    predicted: SimulationAccuracy,
}

impl SimulationCheck {
    /// Creates a check without calls.
    pub(crate) fn new() -> Self {
        Self {
            given: SimulationAccuracy::new(InitialRead::Given),
            predicted: SimulationAccuracy::new(InitialRead::Predicted),
        }
    }

    /// Adds a recorded model call to both simulations, on its recorded model and at the prices in `models`.
    pub(crate) fn add(&mut self, call: &Call, models: &Registry) {
        let prices = models.get(&call.model).and_then(|model| model.prices.as_ref());
        self.given.add(call, prices);
        self.predicted.add(call, prices);
    }

    /// Returns the error of the simulation for all calls so far; zero if there are none.
    pub(crate) fn report(&self) -> AccuracyReport {
        let sum = |figure: fn(&SessionComparison) -> NanoUsd| {
            let sum: NanoUsd = self.given.sessions().map(|(_, session)| figure(session)).sum();
            i64::try_from(sum.0).unwrap_or(i64::MAX)
        };
        AccuracyReport {
            sessions: self.given.sessions().filter(|(_, session)| session.recorded.0 != 0).count() as u64,
            recorded_nano_usd: sum(|session| session.recorded),
            simulated_nano_usd: sum(|session| session.simulated),
            total: self.given.total_error().unwrap_or_default(),
            median: self.given.median_error().unwrap_or_default(),
            thirds: self.given.errors_by_session_length(),
            predicted_total: self.predicted.total_error().unwrap_or_default(),
            predicted_median: self.predicted.median_error().unwrap_or_default(),
        }
    }
}
