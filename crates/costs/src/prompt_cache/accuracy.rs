//! Measures the error of the simulation: recorded calls, simulated with the recorded models.

use std::collections::BTreeMap;

use contracts::{NanoUsd, Prices, SessionId};

use super::{BasisPoints, Call, InitialRead, PromptCache};

/// Compares the simulated cost of recorded calls with their recorded cost, by session. Output tokens are taken from the
/// recording, so they contribute no error.
#[derive(Debug, Clone, Default)]
pub struct SimulationAccuracy {
    /// Simulated cache of the recorded models.
    cache: PromptCache,
    /// Recorded and simulated costs of each session.
    sessions: BTreeMap<SessionId, SessionComparison>,
    /// Number of calls of models without known prices.
    unpriced_calls: u64,
}

/// Recorded and simulated cost of the calls of one session, at the same prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionComparison {
    /// Number of calls with known prices.
    pub calls: u64,
    /// Cost of the recorded usage.
    pub recorded: NanoUsd,
    /// Cost of the simulated usage.
    pub simulated: NanoUsd,
}

/// Error statistics of one third of the sessions, which are sorted by their number of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct SessionGroup {
    /// Number of sessions in the group.
    pub sessions: u64,
    /// Number of calls of the shortest session in the group.
    pub shortest: u64,
    /// Number of calls of the longest session in the group.
    pub longest: u64,
    /// Error of the summed costs of the group.
    pub total: BasisPoints,
    /// Median of the absolute errors of the sessions.
    pub median: BasisPoints,
    /// Mean of the signed errors of the sessions, which shows a bias.
    pub mean: BasisPoints,
}

impl SessionComparison {
    /// Returns the error of the simulated cost relative to the recorded cost; `None` if the recorded cost is zero.
    pub fn error(&self) -> Option<BasisPoints> {
        BasisPoints::relative_error(self.simulated, self.recorded)
    }
}

impl SimulationAccuracy {
    /// Creates a comparison without calls. `opening` selects the source of the number of tokens that the first call of
    /// each thread reads from the cache.
    pub fn new(opening: InitialRead) -> Self {
        Self { cache: PromptCache::new(opening), ..Self::default() }
    }

    /// Simulates a call with its recorded model, and adds the recorded and the simulated cost to its session. A call
    /// without `prices` is simulated, but its cost is not compared; [`unpriced_calls`](Self::unpriced_calls) counts it.
    pub fn add(&mut self, call: &Call, prices: Option<&Prices>) {
        let split = self.cache.call(call, &call.model);
        let Some(prices) = prices else {
            self.unpriced_calls = self.unpriced_calls.saturating_add(1);
            return;
        };
        let session = self.sessions.entry(call.session.clone()).or_default();
        session.calls = session.calls.saturating_add(1);
        session.recorded += prices.cost(&call.usage);
        session.simulated += prices.cost(&split.usage(call.usage.output));
    }

    /// Returns the number of calls that the errors do not include because their prices are unknown.
    pub const fn unpriced_calls(&self) -> u64 {
        self.unpriced_calls
    }

    /// Returns the costs of all sessions in the order of their ids.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &SessionComparison)> {
        self.sessions.iter()
    }

    /// Returns the relative error of the simulated cost of all sessions together; `None` if the recorded cost is zero.
    pub fn total_error(&self) -> Option<BasisPoints> {
        total_error_of(self.sessions.values())
    }

    /// Returns the median of the sessions' absolute relative errors; `None` if no session has an error.
    pub fn median_error(&self) -> Option<BasisPoints> {
        median_error_of(self.sessions.values())
    }

    /// Returns error statistics for three groups of sessions of equal size, the shortest sessions first. Fewer groups
    /// for fewer than three sessions. Sessions without a recorded cost are not included.
    pub fn errors_by_session_length(&self) -> Vec<SessionGroup> {
        let mut sessions: Vec<_> = self.sessions.values().filter(|session| session.error().is_some()).collect();
        // The sort is stable, and the map is sorted by session.
        sessions.sort_by_key(|session| session.calls);
        let group_bounds = [0, sessions.len() / 3, sessions.len() * 2 / 3, sessions.len()];
        group_bounds.windows(2).filter_map(|bounds| group_statistics(&sessions[bounds[0]..bounds[1]])).collect()
    }
}

/// Returns the relative error of the simulated cost of sessions together; `None` if their recorded cost is zero.
fn total_error_of<'a>(sessions: impl Iterator<Item = &'a SessionComparison>) -> Option<BasisPoints> {
    let (simulated, recorded) = sessions.fold((NanoUsd(0), NanoUsd(0)), |(simulated, recorded), session| {
        (simulated.plus(session.simulated), recorded.plus(session.recorded))
    });
    BasisPoints::relative_error(simulated, recorded)
}

/// Returns the median of the absolute relative errors of sessions; `None` if no session has an error.
fn median_error_of<'a>(sessions: impl Iterator<Item = &'a SessionComparison>) -> Option<BasisPoints> {
    let mut errors: Vec<_> = sessions.filter_map(|session| session.error().map(BasisPoints::abs)).collect();
    errors.sort_unstable();
    let upper = *errors.get(errors.len() / 2)?;
    let lower = *errors.get(errors.len().saturating_sub(1) / 2)?;
    Some(BasisPoints(i64::midpoint(lower.0, upper.0)))
}

/// Computes the error statistics of a group of sessions, which are in ascending order of calls and have a recorded
/// cost; `None` if the group is empty.
fn group_statistics(sessions: &[&SessionComparison]) -> Option<SessionGroup> {
    let (shortest, longest) = (sessions.first()?.calls, sessions.last()?.calls);
    let errors: i128 = sessions.iter().filter_map(|session| session.error()).map(|error| i128::from(error.0)).sum();
    let count = sessions.len() as u64;
    Some(SessionGroup {
        sessions: count,
        shortest,
        longest,
        total: total_error_of(sessions.iter().copied())?,
        median: median_error_of(sessions.iter().copied())?,
        mean: BasisPoints(i64::try_from(errors / i128::from(count)).unwrap_or(i64::MAX)),
    })
}
