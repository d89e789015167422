//! How far the simulation of what happened is from what was recorded.

use std::collections::BTreeMap;

use contracts::{NanoUsd, Prices, SessionId};

use super::{BasisPoints, Call, Opening, PromptCache};

/// The recorded calls, simulated with the recorded models. Output is as recorded, so that it errs by nothing.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    cache: PromptCache,
    sessions: BTreeMap<SessionId, SessionIdentity>,
    unpriced_calls: u64,
}

/// A session's calls, as recorded and as simulated, at the same prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SessionIdentity {
    /// How many.
    pub calls: u64,
    /// The cost of what was recorded.
    pub recorded: NanoUsd,
    /// The cost of what was simulated.
    pub simulated: NanoUsd,
}

/// Some of the sessions, by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Third {
    /// How many sessions.
    pub sessions: u64,
    /// Calls of its shortest session.
    pub shortest: u64,
    /// Calls of its longest session.
    pub longest: u64,
    /// The error of their sum.
    pub total: BasisPoints,
    /// The median of their errors without sign.
    pub median: BasisPoints,
    /// The mean of their errors with sign: a bias shows here.
    pub mean: BasisPoints,
}

impl SessionIdentity {
    /// The error; `None` when nothing was recorded.
    pub fn error(&self) -> Option<BasisPoints> {
        BasisPoints::off(self.simulated, self.recorded)
    }
}

impl Identity {
    /// Of nothing yet.
    pub fn new(opening: Opening) -> Self {
        Self { cache: PromptCache::new(opening), ..Self::default() }
    }

    /// Adds a call. One without prices is simulated all the same, and counted apart.
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

    /// Calls that no error speaks of, because their price is not known.
    pub const fn unpriced_calls(&self) -> u64 {
        self.unpriced_calls
    }

    /// Every session, by id.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &SessionIdentity)> {
        self.sessions.iter()
    }

    /// The error of the sum; `None` when nothing was recorded.
    pub fn total(&self) -> Option<BasisPoints> {
        total(self.sessions.values())
    }

    /// The median of the sessions' errors without sign; `None` when nothing was recorded.
    pub fn median(&self) -> Option<BasisPoints> {
        median(self.sessions.values())
    }

    /// The sessions in three parts by length, shortest first: fewer for fewer than three sessions.
    pub fn thirds(&self) -> Vec<Third> {
        let mut sessions: Vec<_> = self.sessions.values().filter(|session| session.error().is_some()).collect();
        // The sort is stable, and the map is sorted by session.
        sessions.sort_by_key(|session| session.calls);
        let cuts = [0, sessions.len() / 3, sessions.len() * 2 / 3, sessions.len()];
        cuts.windows(2).filter_map(|cut| third(&sessions[cut[0]..cut[1]])).collect()
    }
}

fn total<'a>(sessions: impl Iterator<Item = &'a SessionIdentity>) -> Option<BasisPoints> {
    let (simulated, recorded) = sessions.fold((NanoUsd(0), NanoUsd(0)), |(simulated, recorded), session| {
        (simulated.plus(session.simulated), recorded.plus(session.recorded))
    });
    BasisPoints::off(simulated, recorded)
}

fn median<'a>(sessions: impl Iterator<Item = &'a SessionIdentity>) -> Option<BasisPoints> {
    let mut errors: Vec<_> = sessions.filter_map(|session| session.error().map(BasisPoints::abs)).collect();
    errors.sort_unstable();
    let upper = *errors.get(errors.len() / 2)?;
    let lower = *errors.get(errors.len().saturating_sub(1) / 2)?;
    Some(BasisPoints(i64::midpoint(lower.0, upper.0)))
}

fn third(sessions: &[&SessionIdentity]) -> Option<Third> {
    let (shortest, longest) = (sessions.first()?.calls, sessions.last()?.calls);
    let errors: i128 = sessions.iter().filter_map(|session| session.error()).map(|error| i128::from(error.0)).sum();
    let count = sessions.len() as u64;
    Some(Third {
        sessions: count,
        shortest,
        longest,
        total: total(sessions.iter().copied())?,
        median: median(sessions.iter().copied())?,
        mean: BasisPoints(i64::try_from(errors / i128::from(count)).unwrap_or(i64::MAX)),
    })
}
