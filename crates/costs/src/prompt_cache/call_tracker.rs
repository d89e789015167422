//! [`CallTracker`], which folds the events of a log into the calls of the simulation.

use std::collections::BTreeMap;

use contracts::{
    CacheLifetime, SessionId, Thread, TurnId,
    events::{LlmCallCompleted, SessionCompacted, SessionResumed, TurnEnded, TurnStarted, TurnStatus},
};
use event_core::{CodecError, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Call, CancelledCall, PrecedingInput};

/// Folds events in the order of the log, and returns a [`Call`] for each completed model call. Memory grows with the
/// number of threads, not of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallTracker {
    /// State of each thread, by session.
    sessions: BTreeMap<SessionId, BTreeMap<Thread, ThreadState>>,
}

/// A turn that has started and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunningTurn {
    /// The turn.
    turn: TurnId,
    /// Time at which it started.
    started_at: Timestamp,
    /// Whether a call of it has completed.
    has_completed_call: bool,
}

/// State of a thread between two completed calls, from which the next [`Call`] is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ThreadState {
    /// The running turn; `None` if no turn is running.
    running_turn: Option<RunningTurn>,
    /// Kind of the last input in the prompt of the next call.
    after: PrecedingInput,
    /// Whether a message that comes next follows a completed turn. `false` while tool calls in the history have no
    /// results, and after a turn that did not complete.
    is_last_turn_complete: bool,
    /// Length in bytes of the turn's message until a call has completed; then 0.
    message_bytes: u64,
    /// Whether the history was compacted since the last call.
    was_compacted: bool,
    /// Whether the session was resumed since the last call.
    was_resumed: bool,
    /// Cache lifetime of the last call.
    lifetime: CacheLifetime,
    /// Calls cancelled before their response since the last call.
    attempts: Vec<CancelledCall>,
}

impl Default for ThreadState {
    fn default() -> Self {
        Self {
            running_turn: None,
            after: PrecedingInput::Message,
            is_last_turn_complete: true,
            message_bytes: 0,
            was_compacted: false,
            was_resumed: false,
            lifetime: CacheLifetime::default(),
            attempts: Vec::new(),
        }
    }
}

impl CallTracker {
    /// Folds one event. Returns the call if the event records the completion of one; otherwise `None`.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded.
    pub fn advance(&mut self, event: &Recorded) -> Result<Option<Call>, CodecError> {
        let at = event.event.at;
        if let Some(call) = event.read::<LlmCallCompleted>()? {
            return Ok(Some(self.thread_mut(&call.session, &call.thread).complete_call(call, at)));
        }
        if let Some(turn) = event.read::<TurnStarted>()? {
            let state = self.thread_mut(&turn.session, &turn.thread);
            state.running_turn = Some(RunningTurn { turn: turn.turn, started_at: at, has_completed_call: false });
            state.after = if state.is_last_turn_complete { PrecedingInput::Message } else { PrecedingInput::Cut };
            state.is_last_turn_complete = true;
            state.message_bytes = turn.message_bytes;
        } else if let Some(turn) = event.read::<TurnEnded>()? {
            let threads = self.sessions.get_mut(&turn.session).into_iter().flat_map(BTreeMap::values_mut);
            threads.for_each(|state| state.end_turn(&turn, at));
        } else if let Some(compacted) = event.read::<SessionCompacted>()? {
            self.thread_mut(&compacted.session, &compacted.thread).was_compacted = true;
        } else if let Some(resumed) = event.read::<SessionResumed>()? {
            let threads = self.sessions.get_mut(&resumed.session).into_iter().flat_map(BTreeMap::values_mut);
            threads.for_each(|state| state.was_resumed = true);
        }
        Ok(None)
    }

    /// Returns the state of a thread. A new state is added if the thread is new.
    fn thread_mut(&mut self, session: &SessionId, thread: &Thread) -> &mut ThreadState {
        self.sessions.entry(session.clone()).or_default().entry(thread.clone()).or_default()
    }
}

impl ThreadState {
    /// Creates the [`Call`] of a completion that was recorded at the time `at`, and updates the state for the next
    /// call.
    fn complete_call(&mut self, call: LlmCallCompleted, at: Timestamp) -> Call {
        let began = call.began_at.filter(|began| *began <= at);
        let latency = call.latency_ms.map(|millis| millis.saturating_mul(1_000));
        let sent = latency.map_or(began.unwrap_or(at), |latency| Timestamp(at.0.saturating_sub(latency)));
        let usage = call.usage;
        // A call that wrote nothing to the cache keeps the lifetime of the previous call.
        if 0 < usage.cache_write_1h {
            self.lifetime = CacheLifetime::OneHour;
        } else if 0 < usage.cache_write_5m {
            self.lifetime = CacheLifetime::FiveMinutes;
        }
        let completed_call = Call {
            session: call.session,
            thread: call.thread,
            turn: call.turn,
            model: call.model,
            sent,
            began: began.unwrap_or(sent).max(sent),
            lifetime: self.lifetime,
            variant: call.variant,
            usage,
            cost: call.cost,
            after: self.after,
            message_bytes: std::mem::take(&mut self.message_bytes),
            // One text block, the thinking blocks, and two blocks for each tool call: call and result.
            blocks: 1 + u64::from(call.thinking_blocks) + 2 * u64::from(call.tool_calls),
            compacted: std::mem::take(&mut self.was_compacted),
            resumed: std::mem::take(&mut self.was_resumed),
            attempts: std::mem::take(&mut self.attempts),
        };
        self.is_last_turn_complete = call.tool_calls == 0;
        if !self.is_last_turn_complete {
            self.after = PrecedingInput::Tools;
        }
        if let Some(running) = &mut self.running_turn {
            running.has_completed_call = true;
        }
        completed_call
    }

    /// Folds the end of a turn, and ignores a turn that is not the running one. A cancelled turn without a completed
    /// call becomes a [`CancelledCall`].
    fn end_turn(&mut self, turn: &TurnEnded, at: Timestamp) {
        let Some(running) = self.running_turn.take_if(|running| running.turn == turn.turn) else { return };
        if running.has_completed_call || 0 < turn.llm_calls {
            self.is_last_turn_complete = turn.status == TurnStatus::Completed;
        } else if turn.status == TurnStatus::Cancelled {
            self.attempts.push(CancelledCall { sent: running.started_at, stopped: at });
        }
    }
}
