//! How often a message was sent: the same message sent again is another turn, under a name with a number.

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, events::RouteDecided};
use event_core::EventType;

use crate::{error::EngineError, recorder::Recorder};

/// The most messages whose number is remembered; the log knows the rest.
const MOST: usize = 4_096;

/// The number of the latest turn of each message.
#[derive(Debug, Default)]
pub(crate) struct Attempts(BTreeMap<TurnId, u64>);

/// A message, and how often it was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    /// Its first turn.
    first: TurnId,
    /// How many turns the log has of it: they are numbered from 0 without gaps.
    pub(crate) sent: u64,
}

impl Message {
    /// The turn that it starts when it is sent again, under its session and name.
    pub(crate) fn next(&self, session: &SessionId, name: &str) -> TurnId {
        if self.sent == 0 { self.first } else { turn(session, name, self.sent) }
    }
}

impl Attempts {
    /// What the log has of a message.
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
        // Doubling, then halving: the cost grows with the logarithm of how often it was sent.
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

    /// That a message was sent once more.
    pub(crate) fn note(&mut self, message: Message) {
        if MOST <= self.0.len() {
            self.0.clear();
        }
        self.0.insert(message.first, message.sent + 1);
    }
}

/// The turn of a message that was sent before so many times.
pub(crate) fn turn(session: &SessionId, name: &str, number: u64) -> TurnId {
    TurnId::derive(session, &name_of(name, number))
}

/// The name of a turn of a message that was sent before so many times.
pub(crate) fn name_of(name: &str, number: u64) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}#{number}") }
}
