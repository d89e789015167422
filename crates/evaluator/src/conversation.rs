//! The recent turns of a conversation: one thread of a session. A new message may react to the turn before it.

use contracts::{TurnId, events::TurnStarted};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

/// The time after the end of a turn within which a message counts as a reaction to it: a day, in microseconds.
const REACTION_MICROS: u64 = 24 * 3_600 * 1_000_000;
/// The number of following turns that can revert the files of a turn.
const REVERT_TURNS: usize = 3;
/// The greatest number of files recorded for a turn; further ones are ignored.
const MAX_FILES: usize = 256;
/// The least length in bytes of a message that is compared with others. Shorter messages such as `yes` or `/commit`
/// recur with different meanings.
const MIN_REQUEST_BYTES: u64 = 20;

/// The recent turns of one thread of a session, oldest first, to which a new message may react.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Conversation {
    /// The last turns, at most one more than [`REVERT_TURNS`].
    recent: Vec<RecentTurn>,
}

/// A recent turn of a conversation: its time, its message, and the files its tools wrote, to which later turns are
/// compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecentTurn {
    /// The id of the turn.
    turn: TurnId,
    /// The time at which the turn started.
    started_at: Timestamp,
    /// The time at which the turn ended; before that, the time at which it started.
    last_activity: Timestamp,
    /// The length of the message in bytes.
    message_bytes: u64,
    /// The 16-bit word hashes of the message, sorted and distinct.
    words: Vec<u16>,
    /// Hashes of the paths of the files that the turn wrote, sorted and distinct.
    files: Vec<u32>,
}

/// The relation of a user message to the previous turn of its conversation. The tone of the message is not included,
/// because the event records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reaction {
    /// The id of the previous turn.
    pub(crate) previous_turn: TurnId,
    /// Whether the message repeats the message of that turn.
    pub(crate) is_repeated_request: bool,
}

impl Conversation {
    /// Appends a turn that started at the time `at`. Returns the reaction of its message to the previous turn; `None`
    /// if there is no previous turn, or if that ended more than a day earlier.
    ///
    /// A turn that started before the latest one is ignored, because an import may add turns out of order.
    pub(crate) fn add_turn(&mut self, turn: &TurnStarted, at: Timestamp) -> Option<Reaction> {
        let previous = self.recent.last();
        if previous.is_some_and(|previous| at < previous.started_at) {
            return None;
        }
        let new_turn = RecentTurn {
            turn: turn.turn,
            started_at: at,
            last_activity: at,
            message_bytes: turn.message_bytes,
            words: turn.features.sketch.words.clone(),
            files: Vec::new(),
        };
        let recent_previous = previous.filter(|previous| at.micros_since(previous.last_activity) <= REACTION_MICROS);
        let reaction = recent_previous.map(|previous| Reaction {
            previous_turn: previous.turn,
            is_repeated_request: new_turn.repeats_message_of(previous),
        });
        if REVERT_TURNS < self.recent.len() {
            self.recent.remove(0);
        }
        self.recent.push(new_turn);
        reaction
    }

    /// Records the time at which a turn ended, from which the delay of a reaction is measured. Ignores turns that are
    /// not among the recent ones.
    pub(crate) fn end_turn(&mut self, turn: TurnId, at: Timestamp) {
        if let Some(recent) = self.recent.iter_mut().find(|recent| recent.turn == turn) {
            recent.last_activity = recent.last_activity.max(at);
        }
    }

    /// Records files that a turn wrote, as hashes of their paths, so that a later revert of them is recognised. Ignores
    /// turns that are no longer recent and files beyond [`MAX_FILES`].
    pub(crate) fn add_files(&mut self, turn: TurnId, files: &[u32]) {
        let Some(recent) = self.recent.iter_mut().find(|recent| recent.turn == turn) else { return };
        for file in files {
            if let Err(index) = recent.files.binary_search(file)
                && recent.files.len() < MAX_FILES
            {
                recent.files.insert(index, *file);
            }
        }
    }

    /// Returns the earlier turns whose files the turn `reverting_turn` reverts: all that wrote one of `files` (hashes
    /// of paths), or the latest that wrote any file if `files` is empty. Considers only the recent turns before
    /// `reverting_turn`, and returns none if `reverting_turn` is not recent.
    pub(crate) fn reverted_turns(&self, reverting_turn: TurnId, files: &[u32]) -> Vec<TurnId> {
        let Some(index) = self.recent.iter().position(|recent| recent.turn == reverting_turn) else {
            return Vec::new();
        };
        let earlier_turns = &self.recent[..index];
        if files.is_empty() {
            let last_writer = earlier_turns.iter().rfind(|recent| !recent.files.is_empty());
            return last_writer.map(|recent| recent.turn).into_iter().collect();
        }
        let wrote_any = |recent: &&RecentTurn| files.iter().any(|file| recent.files.binary_search(file).is_ok());
        earlier_turns.iter().filter(wrote_any).map(|recent| recent.turn).collect()
    }
}

impl RecentTurn {
    /// Whether the message of this turn repeats the message of `other`: both have at least [`MIN_REQUEST_BYTES`] bytes,
    /// and the Jaccard index of their word hashes is at least 4/5.
    fn repeats_message_of(&self, other: &Self) -> bool {
        let is_request = MIN_REQUEST_BYTES <= self.message_bytes.min(other.message_bytes);
        let (left, right) = (&self.words, &other.words);
        if !is_request || left.is_empty() || right.is_empty() {
            return false;
        }
        let common = count_common(left, right);
        let union = left.len() + right.len() - common;
        4 * union <= 5 * common
    }
}

/// Returns the size of the intersection of two sorted lists of distinct numbers.
fn count_common(left: &[u16], right: &[u16]) -> usize {
    let (mut left, mut right, mut common) = (left, right, 0);
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        common += usize::from(first == second);
        // Conditional moves: a branch on random numbers could not be predicted.
        (left, right) =
            (if first <= second { left_rest } else { left }, if second <= first { right_rest } else { right });
    }
    common
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Generates sets of numbers, many of which are small, so that two sets often have some in common.
    fn numbers() -> impl Strategy<Value = BTreeSet<u16>> {
        prop::collection::btree_set(prop_oneof![0..40_u16, any::<u16>()], 0..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_common_numbers_of_sorted_lists_are_the_intersection(left in numbers(), right in numbers()) {
            let [first, second] = [&left, &right].map(|set| set.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(count_common(&first, &second), left.intersection(&right).count());
        }
    }
}
