//! How far the simulation is from what was recorded when nothing is changed.

use contracts::{NanoUsd, Registry};
use costs::prompt_cache::{BasisPoints, Call, Identity, Opening, SessionIdentity, Third};
use serde::Serialize;

/// The error of simulating what really happened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct IdentityError {
    /// Sessions with a cost.
    pub sessions: u64,
    /// What they cost as recorded, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// What the simulation says they cost, in nano-dollars.
    pub simulated_nano_usd: i64,
    /// The error of the total: negative when the simulation is too cheap.
    pub total: BasisPoints,
    /// The median over sessions of the error without its sign.
    pub median: BasisPoints,
    /// The same by length of session, the shortest first: a bias would show here.
    pub thirds: Vec<Third>,
    /// The error of the total when not even what the first call of a thread read is taken as recorded.
    pub predicted_total: BasisPoints,
    /// The median of that.
    pub predicted_median: BasisPoints,
}

/// Both simulations of what really happened.
#[derive(Debug)]
pub(crate) struct Check {
    given: Identity,
    predicted: Identity,
}

impl Check {
    pub(crate) fn new() -> Self {
        Self { given: Identity::new(Opening::Given), predicted: Identity::new(Opening::Predicted) }
    }

    pub(crate) fn add(&mut self, call: &Call, models: &Registry) {
        let prices = models.get(&call.model).and_then(|model| model.prices.as_ref());
        self.given.add(call, prices);
        self.predicted.add(call, prices);
    }

    pub(crate) fn error(&self) -> IdentityError {
        let sum = |figure: fn(&SessionIdentity) -> NanoUsd| {
            let sum: NanoUsd = self.given.sessions().map(|(_, session)| figure(session)).sum();
            i64::try_from(sum.0).unwrap_or(i64::MAX)
        };
        IdentityError {
            sessions: self.given.sessions().filter(|(_, session)| session.recorded.0 != 0).count() as u64,
            recorded_nano_usd: sum(|session| session.recorded),
            simulated_nano_usd: sum(|session| session.simulated),
            total: self.given.total().unwrap_or_default(),
            median: self.given.median().unwrap_or_default(),
            thirds: self.given.thirds(),
            predicted_total: self.predicted.total().unwrap_or_default(),
            predicted_median: self.predicted.median().unwrap_or_default(),
        }
    }
}
