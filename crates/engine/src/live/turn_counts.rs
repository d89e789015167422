//! Counts the turns of a message. A message that is sent again starts another turn, whose name is the message's with a
//! number.

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, events::RouteDecided};
use event_core::EventType;

use crate::{error::EngineError, recorder::Recorder};

/// The maximum number of messages whose count is cached; other counts are looked up in the log.
const MAX_CACHED: usize = 4_096;

/// A cache of how many turns each user message has started, by the first turn of the message.
#[derive(Debug, Default)]
pub(crate) struct TurnCounts(BTreeMap<TurnId, u64>);

/// A user message with the number of turns that it has started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageTurns {
    /// The id of the message's first turn, whether or not it has started.
    first: TurnId,
    /// The number of turns of the message in the log. They are numbered from 0 without gaps.
    pub(crate) count: u64,
}

impl MessageTurns {
    /// Returns the id of the turn that starts if the message is sent again. `name` is the client's name of the message.
    pub(crate) fn next_turn(&self, session: &SessionId, name: &str) -> TurnId {
        if self.count == 0 { self.first } else { turn_id(session, name, self.count) }
    }
}

impl TurnCounts {
    /// Returns a user message with the number of its turns: from the cache, or else from the log, which is searched for
    /// their decisions. `name` is the client's name of the message. Does not change the cache.
    pub(crate) fn count_turns(
        &self,
        recorder: &Recorder,
        session: &SessionId,
        name: &str,
    ) -> Result<MessageTurns, EngineError> {
        let first = turn_id(session, name, 0);
        if let Some(count) = self.0.get(&first) {
            return Ok(MessageTurns { first, count: *count });
        }
        let is_decided = |turn: TurnId| recorder.contains(turn.0.then(RouteDecided::KIND, 0));
        if !is_decided(first)? {
            return Ok(MessageTurns { first, count: 0 });
        }
        let has_turn = |number: u64| is_decided(turn_id(session, name, number));
        // Exponential, then binary search: the cost is logarithmic in the number of turns.
        let mut upper = 2;
        while has_turn(upper - 1)? {
            upper *= 2;
        }
        let mut lower = upper / 2;
        while lower + 1 < upper {
            let middle = lower.midpoint(upper);
            if has_turn(middle - 1)? { lower = middle } else { upper = middle }
        }
        Ok(MessageTurns { first, count: lower })
    }

    /// Counts another turn of a user message in the cache, which is cleared first if it is full.
    pub(crate) fn add_turn(&mut self, message: MessageTurns) {
        if MAX_CACHED <= self.0.len() {
            self.0.clear();
        }
        self.0.insert(message.first, message.count + 1);
    }
}

/// Returns the id of a message's turn number `number`, from 0.
pub(crate) fn turn_id(session: &SessionId, name: &str, number: u64) -> TurnId {
    TurnId::derive(session, &turn_name(name, number))
}

/// Returns the name of a message's turn number `number`, from 0: `name` for the first, `name#1` for the second.
pub(crate) fn turn_name(name: &str, number: u64) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}#{number}") }
}
