//! A line of work, such as a session's main line or one of its sub-agents: what its last turns asked and wrote.

use contracts::{TurnId, events::TurnStarted};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

/// A message so many microseconds after the end of a turn says nothing about it any more: a day.
const REACTION_MICROS: u64 = 24 * 3_600 * 1_000_000;
/// So many of the turns that follow can take back what a turn wrote.
const REVERT_TURNS: usize = 3;
/// The most files of a turn that are remembered.
const MOST_FILES: usize = 256;
/// Shorter messages, in bytes, are repeated without being the same request: `yes`, `continue`, `/commit`.
const SHORTEST_REQUEST: u64 = 20;

/// The last turns of a line, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Line {
    recent: Vec<Recent>,
}

/// What is remembered of a turn for the sake of the turns after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Recent {
    turn: TurnId,
    started: Timestamp,
    /// When it was over, or else when it started.
    last: Timestamp,
    message_bytes: u64,
    /// The numbers of its words, sorted, each once.
    words: Vec<u16>,
    /// What it wrote, sorted.
    files: Vec<u32>,
}

/// What a message shows about the turn before it, beside its tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reaction {
    /// The turn before.
    pub(crate) to: TurnId,
    /// Whether it asks the same.
    pub(crate) repeats: bool,
}

impl Line {
    /// Notes that a turn started, and says which turn its message reacts to.
    ///
    /// An import may bring old turns after newer ones: those neither react nor are reacted to.
    pub(crate) fn started(&mut self, turn: &TurnStarted, at: Timestamp) -> Option<Reaction> {
        let before = self.recent.last();
        if before.is_some_and(|before| at < before.started) {
            return None;
        }
        let next = Recent {
            turn: turn.turn,
            started: at,
            last: at,
            message_bytes: turn.message_bytes,
            words: turn.features.sketch.words.clone(),
            files: Vec::new(),
        };
        let in_time = before.filter(|before| at.micros_since(before.last) <= REACTION_MICROS);
        let reaction = in_time.map(|before| Reaction { to: before.turn, repeats: next.asks_the_same(before) });
        if REVERT_TURNS < self.recent.len() {
            self.recent.remove(0);
        }
        self.recent.push(next);
        reaction
    }

    pub(crate) fn over(&mut self, turn: TurnId, at: Timestamp) {
        if let Some(recent) = self.recent.iter_mut().find(|recent| recent.turn == turn) {
            recent.last = recent.last.max(at);
        }
    }

    pub(crate) fn wrote(&mut self, turn: TurnId, files: &[u32]) {
        let Some(recent) = self.recent.iter_mut().find(|recent| recent.turn == turn) else { return };
        for file in files {
            if let Err(place) = recent.files.binary_search(file)
                && recent.files.len() < MOST_FILES
            {
                recent.files.insert(place, *file);
            }
        }
    }

    /// The earlier turns whose files a turn takes back: all that wrote one of those named, or the last that wrote at
    /// all when none is named.
    pub(crate) fn taken_back(&self, by: TurnId, files: &[u32]) -> Vec<TurnId> {
        let Some(place) = self.recent.iter().position(|recent| recent.turn == by) else { return Vec::new() };
        let earlier = self.recent.iter().take(place);
        let wrote_one = |recent: &&Recent| files.iter().any(|file| recent.files.binary_search(file).is_ok());
        if files.is_empty() {
            earlier
                .filter(|recent| !recent.files.is_empty())
                .map(|recent| recent.turn)
                .next_back()
                .into_iter()
                .collect()
        } else {
            earlier.filter(wrote_one).map(|recent| recent.turn).collect()
        }
    }
}

impl Recent {
    /// Whether two requests are the same but for a few words: four fifths of what either sketch has are in both.
    fn asks_the_same(&self, other: &Self) -> bool {
        let long = SHORTEST_REQUEST <= self.message_bytes.min(other.message_bytes);
        let (one, other) = (&self.words, &other.words);
        if !long || one.is_empty() || other.is_empty() {
            return false;
        }
        let both = common(one, other);
        let either = one.len() + other.len() - both;
        4 * either <= 5 * both
    }
}

/// How many numbers two sorted lists share.
fn common(one: &[u16], other: &[u16]) -> usize {
    let (mut one, mut other, mut both) = (one, other, 0);
    while let ([first, rest @ ..], [second, others @ ..]) = (one, other) {
        both += usize::from(first == second);
        // Without a branch that nobody could foretell.
        (one, other) = (if first <= second { rest } else { one }, if second <= first { others } else { other });
    }
    both
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = BTreeSet<u16>> {
        prop::collection::btree_set(prop_oneof![0..40_u16, any::<u16>()], 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn two_lists_share_what_is_in_both_sets(one in numbers(), other in numbers()) {
            let [first, second] = [&one, &other].map(|set| set.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(common(&first, &second), one.intersection(&other).count());
        }
    }
}
