//! What a program did with a log, and what it was promised on the way.

use event_bus::files::Change;
use event_core::{Checkpoint, NewEvent, Position};

/// The one name states are saved under.
pub(crate) const STATE: &str = "state";

/// What a program did, as the disk saw it and as the program saw it.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) name: String,
    pub(crate) changes: Vec<Change>,
    /// Number of changes that make up the initial content.
    pub(crate) begin: usize,
    /// Every event in the order of positions.
    pub(crate) events: Vec<NewEvent>,
    /// How many events there are after each batch.
    pub(crate) batches: Vec<usize>,
    /// How many events were acknowledged, and after how many changes.
    pub(crate) acknowledged: Vec<(usize, usize)>,
    pub(crate) texts: Vec<Text>,
    pub(crate) states: Vec<State>,
    pub(crate) purge: Option<Purge>,
    /// Between which changes the log may be damaged: the damage was done, its repair was acknowledged.
    pub(crate) damage: Option<(usize, usize)>,
}

/// A text, and between which changes it must be there.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) hash: [u8; 32],
    pub(crate) kept: usize,
    /// When its removal began, and when that was acknowledged.
    pub(crate) removed: Option<(usize, usize)>,
}

/// A saved state, when saving it began, and when that was acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) began: usize,
    pub(crate) kept: usize,
    pub(crate) checkpoint: Checkpoint,
}

/// A removal of payloads, when it began, and when it was acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purge {
    pub(crate) began: usize,
    pub(crate) done: usize,
    /// How many events there were.
    pub(crate) events: u64,
}

impl Purge {
    /// Whether it removes the payload of the event at a position.
    pub(crate) fn removes(self, position: Position) -> bool {
        position.0 <= self.events && is_private(position)
    }
}

/// Whether a purge is asked to remove the payload of the event at a position.
pub(crate) fn is_private(position: Position) -> bool {
    position.0 % 3 == 1
}

impl Story {
    /// How many events must be there when that many changes were made.
    pub(crate) fn promised(&self, changes: usize) -> usize {
        self.acknowledged.iter().filter(|(after, _)| *after <= changes).map(|(_, events)| *events).max().unwrap_or(0)
    }

    /// States of which a crash after that many changes may leave one, and whether it may leave none.
    pub(crate) fn states(&self, changes: usize) -> (Vec<&Checkpoint>, bool) {
        let last = self.states.iter().rposition(|state| state.kept <= changes);
        let possible = self.states.iter().skip(last.unwrap_or(0)).filter(|state| state.began <= changes);
        (possible.map(|state| &state.checkpoint).collect(), last.is_none())
    }

    /// Whether a crash after that many changes may leave damage that was there before.
    pub(crate) fn may_be_damaged(&self, changes: usize) -> bool {
        self.damage.is_some_and(|(done, repaired)| (done..repaired).contains(&changes))
    }

    /// Whether a repair or a purge is on its way after that many changes.
    pub(crate) fn is_rewritten(&self, changes: usize) -> bool {
        let purged = self.purge.is_some_and(|purge| (purge.began..purge.done).contains(&changes));
        purged || self.may_be_damaged(changes)
    }

    /// What a crash after that many changes left, as the story of a program that begins with it.
    pub(crate) fn after_crash(&self, name: String, changes: usize, events: usize) -> Self {
        let is_there = |text: &&Text| text.kept <= changes && text.removed.is_none_or(|(began, _)| changes < began);
        let texts = self.texts.iter().filter(is_there).map(|text| Text { hash: text.hash, kept: 0, removed: None });
        let (states, may_be_none) = self.states(changes);
        let state = |(index, checkpoint): (usize, &Checkpoint)| {
            let kept = if index == 0 && !may_be_none { 0 } else { usize::MAX };
            State { began: 0, kept, checkpoint: checkpoint.clone() }
        };
        Self {
            name,
            events: self.events[..events].to_vec(),
            batches: self.batches.iter().copied().filter(|batch| *batch <= events).collect(),
            acknowledged: vec![(0, events)],
            texts: texts.collect(),
            states: states.into_iter().enumerate().map(state).collect(),
            ..Self::default()
        }
    }
}
