//! [`RunningCalls`], the estimated costs of calls that were sent and have not ended (decision D46).

use std::collections::BTreeMap;

use contracts::{NanoUsd, SessionId, TurnId};
use serde::{Deserialize, Serialize};

/// The estimated cost of a running call, and the groups it counts in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningCall {
    pub(crate) session: SessionId,
    /// Number of the project; `None` if it is unknown.
    pub(crate) project: Option<u32>,
    /// Number of the client; `None` if it is unknown.
    pub(crate) client: Option<u32>,
    pub(crate) cost: NanoUsd,
}

/// Calls that were sent and have not ended, by turn, each turn's oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct RunningCalls(BTreeMap<TurnId, Vec<RunningCall>>);

impl RunningCalls {
    /// Adds a call that was sent.
    pub(crate) fn start(&mut self, turn: TurnId, call: RunningCall) {
        self.0.entry(turn).or_default().push(call);
    }

    /// Removes the oldest call of a turn, because a call of it has ended.
    pub(crate) fn end(&mut self, turn: TurnId) {
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
    pub(crate) fn end_turn(&mut self, turn: TurnId) {
        self.0.remove(&turn);
    }

    /// Returns the sum over the calls for which `counts` is true.
    pub(crate) fn sum(&self, counts: impl Fn(&RunningCall) -> bool) -> NanoUsd {
        self.0.values().flatten().filter(|call| counts(call)).map(|call| call.cost).sum()
    }
}
