//! Ends the open turns that the user has abandoned when the next message of their thread arrives.

use std::collections::BTreeSet;

use contracts::{TurnId, events::TurnStatus};

use super::turn_counts;
use crate::{engine::Engine, error::EngineError, open_turn::OpenTurn, turn_input::TurnInput};

/// The maximum number of open turns of the same message, and of open turns of other runs, that stay open in a thread
/// when another turn starts. Limits the state of clients that never end their turns.
const MAX_PARALLEL_TURNS: usize = 64;

impl Engine {
    /// Records the open turns of a thread that the user has abandoned as cancelled: those without a running call, since
    /// a new message (`input`) arrived instead of their continuation. `earlier_turns` is the number of earlier turns of
    /// the same message.
    ///
    /// The latest [`MAX_PARALLEL_TURNS`] turns of the same message stay open, since clients without session ids may
    /// send it several times at once. If several runs of a client share the session, so do as many of the latest turns
    /// of the other runs.
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
    pub(super) fn end_abandoned(&mut self, input: &TurnInput, earlier_turns: u64) -> Result<(), EngineError> {
        let Some(session) = self.state().sessions.get(&input.session) else { return Ok(()) };
        let idle = session.open.iter().filter(|open| open.thread == input.thread && open.calls_waiting == 0);
        let mut idle: Vec<&OpenTurn> = idle.collect();
        if idle.is_empty() {
            return Ok(());
        }
        let latest = earlier_turns.saturating_sub(MAX_PARALLEL_TURNS as u64)..earlier_turns;
        let same_message: BTreeSet<_> =
            latest.map(|number| turn_counts::turn_id(&input.session, &input.name, number)).collect();
        idle.retain(|open| !same_message.contains(&open.turn));
        let history = input.calls_in_history.as_ref();
        let (other_runs, own): (Vec<&OpenTurn>, Vec<_>) =
            idle.into_iter().partition(|open| history.is_some_and(|calls| open.is_of_another_run(calls)));
        // Open turns are ordered by their start, so the first ones are the oldest.
        let surplus = other_runs.len().saturating_sub(MAX_PARALLEL_TURNS);
        let abandoned = own.into_iter().chain(other_runs.into_iter().take(surplus));
        let abandoned: Vec<TurnId> = abandoned.map(|open| open.turn).collect();
        for turn in abandoned {
            self.end_turn(&input.session, turn, TurnStatus::Cancelled)?;
        }
        Ok(())
    }
}
