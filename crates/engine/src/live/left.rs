//! What a thread has left open when its next turn starts, and what of it is over.

use std::collections::BTreeSet;

use contracts::{TurnId, events::TurnStatus};

use super::{arrival::Arrival, attempts};
use crate::{engine::Engine, error::EngineError, open_turn::OpenTurn};

/// Of a message that was sent again and again, so many turns may wait for their tools at once; and so many of other runs.
const MOST_AT_ONCE: usize = 64;

impl Engine {
    /// Ends the turns of a thread in which nothing happens any more: the user has gone on to something else. Turns of
    /// the very same message stay: clients that name no session may ask the same several times at once. So do turns of
    /// other runs in such a session, the latest of them: a run that was left for good is never heard of again.
    pub(super) fn end_what_was_left(&mut self, arrival: &Arrival, sent_before: u64) -> Result<(), EngineError> {
        let new = &arrival.new;
        let Some(known) = self.state().sessions.get(&new.session) else { return Ok(()) };
        let left = known.open.iter().filter(|open| open.thread == new.thread && open.calls_waiting == 0);
        let mut left: Vec<&OpenTurn> = left.collect();
        if left.is_empty() {
            return Ok(());
        }
        let latest = sent_before.saturating_sub(MOST_AT_ONCE as u64)..sent_before;
        let same: BTreeSet<_> = latest.map(|number| attempts::turn(&new.session, &new.name, number)).collect();
        left.retain(|open| !same.contains(&open.turn));
        let (others, mut over): (Vec<&OpenTurn>, Vec<_>) = left
            .into_iter()
            .partition(|open| arrival.calls.as_ref().is_some_and(|calls| open.is_of_another_run(calls)));
        // They stand in the order in which they started.
        let too_many = others.len().saturating_sub(MOST_AT_ONCE);
        over.extend(others.into_iter().take(too_many));
        let over: Vec<TurnId> = over.into_iter().map(|open| open.turn).collect();
        for turn in over {
            self.end(&new.session, turn, TurnStatus::Cancelled)?;
        }
        Ok(())
    }
}
