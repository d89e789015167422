//! A turn of a running backtest: the recorded decision and costs, and those under each policy.

use contracts::{
    ModelId,
    events::{RouteDecided, TurnStarted},
};
use costs::prompt_cache::Call;
use event_core::Timestamp;

use crate::{choice::PolicyChoice, simulated_costs::CallCosts};

/// A recorded turn that was decided under all policies and has not ended.
pub(crate) struct TurnComparison {
    /// The time when the turn started.
    pub(crate) at: Timestamp,
    /// The `turn.started` event.
    pub(crate) started: TurnStarted,
    /// The decision in the log.
    pub(crate) decided: Box<RouteDecided>,
    /// The choice of each policy, in the order of the policies of the backtest.
    pub(crate) chosen: Vec<PolicyChoice>,
    /// The model of the first call on the turn's own thread; `None` before it.
    pub(crate) model: Option<ModelId>,
    /// The reason why the turn is excluded from the comparison; `None` if it is not excluded.
    pub(crate) exclusion: Option<String>,
    /// The number of calls of `model` on the turn's own thread.
    pub(crate) calls: u64,
    /// The recorded cost of the turn's calls, in nano-dollars.
    pub(crate) recorded: i64,
    /// The simulated cost on the recorded models, in nano-dollars.
    pub(crate) simulated: i64,
    /// The costs under each policy, in the order of the policies of the backtest.
    pub(crate) by_policy: Vec<CallCosts>,
    /// The start of the message, on one line; `None` if its text is gone.
    pub(crate) message: Option<String>,
}

impl TurnComparison {
    /// Estimates the cost of the turn under a policy (an index of `by_policy`), in nano-dollars. The first amount is
    /// with the simulated prompt cache, the second as if a change of model lost no part of the cache. `None` if the
    /// policy does not exist.
    ///
    /// The first amount is the recorded cost plus the simulated change, so that errors common to both simulations
    /// cancel out. It is at least the cost that the provider would bill if the whole prompt was cached.
    pub(crate) fn estimate(&self, policy: usize) -> Option<(i64, i64)> {
        let costs = self.by_policy.get(policy)?;
        let change = costs.simulated.saturating_sub(self.simulated);
        let estimate = if change == 0 { self.recorded } else { self.recorded.saturating_add(change).max(costs.floor) };
        Some((estimate, costs.same_cache))
    }

    /// Returns whether a model call belongs to the turn's own thread, and not to a sub-agent inside it.
    pub(crate) fn is_own_call(&self, call: &Call) -> bool {
        call.thread == self.started.thread
    }
}
