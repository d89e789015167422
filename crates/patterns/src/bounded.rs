//! A map of turns that keeps only the latest ones.

use std::collections::BTreeMap;

use contracts::TurnId;
use serde::{Deserialize, Serialize};

/// The latest `LIMIT` turns that were put in, each with what is remembered of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bounded<T, const LIMIT: usize> {
    turns: BTreeMap<TurnId, (u64, T)>,
    /// Turns by when they were put in.
    order: BTreeMap<u64, TurnId>,
    inserted: u64,
}

impl<T, const LIMIT: usize> Default for Bounded<T, LIMIT> {
    fn default() -> Self {
        Self { turns: BTreeMap::new(), order: BTreeMap::new(), inserted: 0 }
    }
}

impl<T, const LIMIT: usize> Bounded<T, LIMIT> {
    /// Puts a turn in, forgetting the one put in first when there are too many.
    pub(crate) fn insert(&mut self, turn: TurnId, value: T) {
        self.remove(turn);
        self.inserted += 1;
        self.turns.insert(turn, (self.inserted, value));
        self.order.insert(self.inserted, turn);
        while LIMIT < self.turns.len() {
            let Some((_, oldest)) = self.order.pop_first() else { return };
            self.turns.remove(&oldest);
        }
    }

    pub(crate) fn get_mut(&mut self, turn: TurnId) -> Option<&mut T> {
        self.turns.get_mut(&turn).map(|(_, value)| value)
    }

    pub(crate) fn contains(&self, turn: TurnId) -> bool {
        self.turns.contains_key(&turn)
    }

    pub(crate) fn remove(&mut self, turn: TurnId) -> Option<T> {
        let (inserted, value) = self.turns.remove(&turn)?;
        self.order.remove(&inserted);
        Some(value)
    }
}
