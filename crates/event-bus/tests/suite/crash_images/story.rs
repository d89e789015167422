//! What a program did with a log, and what it was promised on the way.

use event_bus::files::Change;
use event_core::{Checkpoint, NewEvent, Position};

/// Name of the checkpoint.
pub(crate) const STATE: &str = "state";

/// Record of a program: the changes of the disk, and what was acknowledged after each.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) name: String,
    pub(crate) changes: Vec<Change>,
    /// Number of changes that make up the initial content.
    pub(crate) begin: usize,
    /// Every event in the order of positions.
    pub(crate) events: Vec<NewEvent>,
    /// Number of events after each batch.
    pub(crate) batches: Vec<usize>,
    /// Numbers of acknowledged events, each with the number of changes before the acknowledgement.
    pub(crate) acknowledged: Vec<(usize, usize)>,
    pub(crate) texts: Vec<Text>,
    pub(crate) states: Vec<State>,
    pub(crate) purge: Option<Purge>,
    /// Range of changes between which the log may be damaged: from the damage to the acknowledged repair.
    pub(crate) damage: Option<(usize, usize)>,
}

/// A text, and the range of changes in which it must exist.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) hash: [u8; 32],
    pub(crate) kept: usize,
    /// Numbers of changes at the start of its removal and at the acknowledgement.
    pub(crate) removed: Option<(usize, usize)>,
}

/// A checkpoint, with the numbers of changes when saving it started and was acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) began: usize,
    pub(crate) kept: usize,
    pub(crate) checkpoint: Checkpoint,
}

/// A purge, with the numbers of changes when it started and was acknowledged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purge {
    pub(crate) began: usize,
    pub(crate) done: usize,
    /// Number of events at that time.
    pub(crate) events: u64,
}

impl Purge {
    /// Returns whether the purge removes the payload at a position.
    pub(crate) fn removes(self, position: Position) -> bool {
        position.0 <= self.events && is_private(position)
    }
}

/// Returns whether a purge selects the event at a position.
pub(crate) fn is_private(position: Position) -> bool {
    position.0 % 3 == 1
}

impl Story {
    /// Returns the number of events that must exist after a number of changes.
    pub(crate) fn promised(&self, changes: usize) -> usize {
        self.acknowledged.iter().filter(|(after, _)| *after <= changes).map(|(_, events)| *events).max().unwrap_or(0)
    }

    /// Returns the checkpoints of which one may exist after a crash, and whether none may exist.
    pub(crate) fn states(&self, changes: usize) -> (Vec<&Checkpoint>, bool) {
        let last = self.states.iter().rposition(|state| state.kept <= changes);
        let possible = self.states.iter().skip(last.unwrap_or(0)).filter(|state| state.began <= changes);
        (possible.map(|state| &state.checkpoint).collect(), last.is_none())
    }

    /// Returns whether the damage may still exist after a crash at this point.
    pub(crate) fn may_be_damaged(&self, changes: usize) -> bool {
        self.damage.is_some_and(|(done, repaired)| (done..repaired).contains(&changes))
    }

    /// Returns whether a repair or a purge is in progress after a number of changes.
    pub(crate) fn is_rewritten(&self, changes: usize) -> bool {
        let purged = self.purge.is_some_and(|purge| (purge.began..purge.done).contains(&changes));
        purged || self.may_be_damaged(changes)
    }

    /// Returns the story of a program that starts with the state after a crash.
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
