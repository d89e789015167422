//! Counts the turns of a message. A message that is sent again starts another turn, whose name has a number.

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, events::RouteDecided};
use event_core::EventType;

use crate::{error::EngineError, recorder::Recorder};

/// The maximum number of messages whose count is cached; other counts are looked up in the log.
const MAX_CACHED: usize = 4_096;

/// A cache of the number of turns of each message, by the first turn of the message.
#[derive(Debug, Default)]
pub(crate) struct Attempts(BTreeMap<TurnId, u64>);

/// A message with the number of its turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    /// Its first turn.
    first: TurnId,
    /// The number of its turns in the log. They are numbered from 0 without gaps.
    pub(crate) sent: u64,
}

impl Message {
    /// Returns the id of the turn that sending the message once more starts.
    pub(crate) fn next(&self, session: &SessionId, name: &str) -> TurnId {
        if self.sent == 0 { self.first } else { turn_id(session, name, self.sent) }
    }
}

impl Attempts {
    /// Returns a message with the number of its turns, from the cache or the log. `name` is the client's name of the
    /// message.
    pub(crate) fn message(&self, recorder: &Recorder, session: &SessionId, name: &str) -> Result<Message, EngineError> {
        let first = turn_id(session, name, 0);
        if let Some(known) = self.0.get(&first) {
            return Ok(Message { first, sent: *known });
        }
        let is_decided = |turn: TurnId| recorder.contains(turn.0.then(RouteDecided::KIND, 0));
        if !is_decided(first)? {
            return Ok(Message { first, sent: 0 });
        }
        let is_sent = |number: u64| is_decided(turn_id(session, name, number));
        // Exponential, then binary search: the cost is logarithmic in the number of turns.
        let mut too_many = 2;
        while is_sent(too_many - 1)? {
            too_many *= 2;
        }
        let mut at_least = too_many / 2;
        while at_least + 1 < too_many {
            let middle = at_least.midpoint(too_many);
            if is_sent(middle - 1)? { at_least = middle } else { too_many = middle }
        }
        Ok(Message { first, sent: at_least })
    }

    /// Counts another turn of a message in the cache.
    pub(crate) fn add_turn(&mut self, message: Message) {
        if MAX_CACHED <= self.0.len() {
            self.0.clear();
        }
        self.0.insert(message.first, message.sent + 1);
    }
}

/// Returns the id of a message's turn number `number`, from 0.
pub(crate) fn turn_id(session: &SessionId, name: &str, number: u64) -> TurnId {
    TurnId::derive(session, &turn_name(name, number))
}

/// Returns the name of a message's turn number `number`, from 0.
pub(crate) fn turn_name(name: &str, number: u64) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}#{number}") }
}
