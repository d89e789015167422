//! [`RunningCalls`], the estimated costs of calls that were sent and have not ended (decision D46).

use std::collections::BTreeMap;

use contracts::{NanoUsd, SessionId, TurnId};
use serde::{Deserialize, Serialize};

/// The estimated cost of a running call, with the session, project and client whose spending it counts in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningCall {
    /// Session of the call.
    pub(crate) session: SessionId,
    /// Number of the project; `None` if it is unknown.
    pub(crate) project: Option<u32>,
    /// Number of the client; `None` if it is unknown.
    pub(crate) client: Option<u32>,
    /// Estimated cost of the call.
    pub(crate) cost: NanoUsd,
}

/// The model calls that were sent and have not ended, by turn. The calls of each turn are in the order in which they
/// were sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct RunningCalls(BTreeMap<TurnId, Vec<RunningCall>>);

impl RunningCalls {
    /// Adds a call that was sent.
    pub(crate) fn add(&mut self, turn: TurnId, call: RunningCall) {
        self.0.entry(turn).or_default().push(call);
    }

    /// Removes the oldest running call of a turn, because one of its calls has ended. Does nothing if the turn has no
    /// running call.
    pub(crate) fn remove_oldest(&mut self, turn: TurnId) {
        if let Some(calls) = self.0.get_mut(&turn) {
            if !calls.is_empty() {
                calls.remove(0);
            }
            if calls.is_empty() {
                self.0.remove(&turn);
            }
        }
    }

    /// Removes all calls of a turn that has ended.
    pub(crate) fn remove_turn(&mut self, turn: TurnId) {
        self.0.remove(&turn);
    }

    /// Returns the sum of the estimated costs of the running calls for which `counts` returns `true`.
    pub(crate) fn sum_where(&self, counts: impl Fn(&RunningCall) -> bool) -> NanoUsd {
        self.0.values().flatten().filter(|call| counts(call)).map(|call| call.cost).sum()
    }
}
