//! How far the simulation is from what was recorded when nothing is changed.

use contracts::Registry;
use costs::prompt_cache::{Call, Identity, Opening};
use serde::Serialize;

/// The error of simulating what really happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct IdentityError {
    /// Sessions with a cost.
    pub sessions: u64,
    /// What they cost as recorded, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// What the simulation says they cost, in nano-dollars.
    pub simulated_nano_usd: i64,
    /// The error of the total, in hundredths of a per cent: negative when the simulation is too cheap.
    pub total_basis_points: i64,
    /// The median over sessions of the absolute error, in hundredths of a per cent.
    pub median_basis_points: i64,
    /// The same two when nothing of a thread is taken as recorded, not even what its first call read.
    pub predicted_total_basis_points: i64,
    /// See [`IdentityError::predicted_total_basis_points`].
    pub predicted_median_basis_points: i64,
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
        let sum = |figure: fn(&costs::prompt_cache::SessionIdentity) -> u64| {
            let sum: u64 = self.given.sessions().map(|(_, session)| figure(session)).sum();
            i64::try_from(sum).unwrap_or(i64::MAX)
        };
        let total = |identity: &Identity| identity.total().unwrap_or_default().0;
        let median = |identity: &Identity| identity.median().unwrap_or_default().0;
        IdentityError {
            sessions: self.given.sessions().filter(|(_, session)| session.recorded.0 != 0).count() as u64,
            recorded_nano_usd: sum(|session| session.recorded.0),
            simulated_nano_usd: sum(|session| session.simulated.0),
            total_basis_points: total(&self.given),
            median_basis_points: median(&self.given),
            predicted_total_basis_points: total(&self.predicted),
            predicted_median_basis_points: median(&self.predicted),
        }
    }
}
