//! How often a message was sent: the same message sent again is another turn, under a name with a number.

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, facts::RouteDecided};
use event_core::Event;

use crate::{error::EngineError, recorder::Recorder};

/// The most messages whose number is remembered; the log knows the rest.
const MOST: usize = 4_096;

/// The number of the latest turn of each message.
#[derive(Debug, Default)]
pub(crate) struct Attempts(BTreeMap<TurnId, u64>);

impl Attempts {
    /// How many turns the log has of a message: they are numbered from 0 without gaps.
    pub(crate) fn of(&mut self, recorder: &Recorder, session: &SessionId, name: &str) -> Result<u64, EngineError> {
        let first = turn(session, name, 0);
        if let Some(known) = self.0.get(&first) {
            return Ok(*known);
        }
        let decided = |number: u64| recorder.knows(turn(session, name, number).0.then(RouteDecided::KIND, 0));
        // Doubling, then halving: the cost grows with the logarithm of how often it was sent.
        let mut above = 1;
        while decided(above - 1)? {
            above *= 2;
        }
        let mut below = above / 2;
        while below + 1 < above {
            let middle = below.midpoint(above);
            if decided(middle - 1)? { below = middle } else { above = middle }
        }
        Ok(above - 1)
    }

    /// That a message has so many turns now.
    pub(crate) fn set(&mut self, session: &SessionId, name: &str, count: u64) {
        if MOST <= self.0.len() {
            self.0.clear();
        }
        self.0.insert(turn(session, name, 0), count);
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
