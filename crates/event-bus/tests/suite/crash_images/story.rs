//! [`Story`], the record of a program: its changes of the disk, and which events, texts and checkpoints were
//! acknowledged after how many changes.

use event_bus::files::Change;
use event_core::{Checkpoint, NewEvent, Position};

/// Name of the checkpoint.
pub(crate) const STATE: &str = "state";

/// Record of a program that writes a log. A moment is given as the number of changes before it.
#[derive(Debug, Default)]
pub(crate) struct Story {
    /// Name of the program, for messages.
    pub(crate) name: String,
    /// All changes of the disk, in order.
    pub(crate) changes: Vec<Change>,
    /// Number of changes that make up the initial content. Crashes before them are not simulated.
    pub(crate) begin: usize,
    /// Appended events, in the order of positions.
    pub(crate) events: Vec<NewEvent>,
    /// Number of events after each batch.
    pub(crate) batches: Vec<usize>,
    /// Moments of acknowledgements, each with the number of events acknowledged so far.
    pub(crate) acknowledged: Vec<(usize, usize)>,
    /// Texts that were stored.
    pub(crate) texts: Vec<Text>,
    /// Checkpoints that were saved, in order.
    pub(crate) states: Vec<State>,
    /// The purge, if the program made one.
    pub(crate) purge: Option<Purge>,
    /// Moments between which the log may be damaged: from the damage to the acknowledged repair.
    pub(crate) damage: Option<(usize, usize)>,
}

/// A stored text, and the moments between which it must exist.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// Hash of its content.
    pub(crate) hash: [u8; 32],
    /// Moment at which storing it was acknowledged.
    pub(crate) kept: usize,
    /// Moments at which its removal started and was acknowledged; `None` if it was not removed.
    pub(crate) removed: Option<(usize, usize)>,
}

/// A checkpoint that was saved.
#[derive(Debug, Clone)]
pub(crate) struct State {
    /// Moment at which saving it started.
    pub(crate) began: usize,
    /// Moment at which saving it was acknowledged; `usize::MAX` if it was not.
    pub(crate) kept: usize,
    /// The checkpoint.
    pub(crate) checkpoint: Checkpoint,
}

/// A purge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purge {
    /// Moment at which it started.
    pub(crate) began: usize,
    /// Moment at which it was acknowledged.
    pub(crate) done: usize,
    /// Number of events in the log at that time.
    pub(crate) events: u64,
    /// Number of events that it appended in the same step.
    pub(crate) recorded: u64,
}

impl Purge {
    /// Returns whether the purge removes the payload of the event at `position`.
    pub(crate) fn removes(self, position: Position) -> bool {
        position.0 <= self.events && is_private(position)
    }
}

/// Returns whether the event at `position` has a private payload, which a purge removes: every third one, from position
/// 1.
pub(crate) fn is_private(position: Position) -> bool {
    position.0 % 3 == 1
}

impl Story {
    /// Returns the number of events that must exist after a crash at the moment `changes`.
    pub(crate) fn promised(&self, changes: usize) -> usize {
        self.acknowledged.iter().filter(|(after, _)| *after <= changes).map(|(_, events)| *events).max().unwrap_or(0)
    }

    /// Returns the checkpoints of which one may exist after a crash at the moment `changes`, and whether none may
    /// exist.
    pub(crate) fn states(&self, changes: usize) -> (Vec<&Checkpoint>, bool) {
        let last = self.states.iter().rposition(|state| state.kept <= changes);
        let possible = self.states.iter().skip(last.unwrap_or(0)).filter(|state| state.began <= changes);
        (possible.map(|state| &state.checkpoint).collect(), last.is_none())
    }

    /// Returns whether the damage may still exist after a crash at the moment `changes`.
    pub(crate) fn may_be_damaged(&self, changes: usize) -> bool {
        self.damage.is_some_and(|(done, repaired)| (done..repaired).contains(&changes))
    }

    /// Returns whether a repair or a purge is in progress at the moment `changes`.
    pub(crate) fn is_rewritten(&self, changes: usize) -> bool {
        let purged = self.purge.is_some_and(|purge| (purge.began..purge.done).contains(&changes));
        purged || self.may_be_damaged(changes)
    }

    /// Returns the initial record of a program that starts with the state after a crash at the moment `changes`, in
    /// which the log has `events` events.
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
