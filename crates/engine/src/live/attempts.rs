//! Counts how often a message was sent. Each time it starts another turn, whose name has a number.

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, events::RouteDecided};
use event_core::EventType;

use crate::{error::EngineError, recorder::Recorder};

/// The most messages whose count is cached; that of the others is searched in the log.
const MOST: usize = 4_096;

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
        if self.sent == 0 { self.first } else { turn(session, name, self.sent) }
    }
}

impl Attempts {
    /// Looks up the number of turns of a message.
    pub(crate) fn of(&self, recorder: &Recorder, session: &SessionId, name: &str) -> Result<Message, EngineError> {
        let first = turn(session, name, 0);
        if let Some(known) = self.0.get(&first) {
            return Ok(Message { first, sent: *known });
        }
        let is_decided = |turn: TurnId| recorder.knows(turn.0.then(RouteDecided::KIND, 0));
        if !is_decided(first)? {
            return Ok(Message { first, sent: 0 });
        }
        let is_sent = |number: u64| is_decided(turn(session, name, number));
        // Exponential, then binary search: the cost is logarithmic in the number of turns.
        let mut above = 2;
        while is_sent(above - 1)? {
            above *= 2;
        }
        let mut below = above / 2;
        while below + 1 < above {
            let middle = below.midpoint(above);
            if is_sent(middle - 1)? { below = middle } else { above = middle }
        }
        Ok(Message { first, sent: above - 1 })
    }

    /// Counts another turn of a message.
    pub(crate) fn note(&mut self, message: Message) {
        if MOST <= self.0.len() {
            self.0.clear();
        }
        self.0.insert(message.first, message.sent + 1);
    }
}

/// Returns the id of a message's turn number `number`, from 0.
pub(crate) fn turn(session: &SessionId, name: &str, number: u64) -> TurnId {
    TurnId::derive(session, &name_of(name, number))
}

/// Returns the name of a message's turn number `number`, from 0.
pub(crate) fn name_of(name: &str, number: u64) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}#{number}") }
}
