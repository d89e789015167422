//! The state of one session. There may be very many sessions, so the parts that few of them need are boxed.

use std::collections::BTreeSet;

use contracts::{
    ModelId, Thread, TurnId,
    events::{SessionModelSelected, SessionSource, SessionStarted, ToolCalled, TurnStarted},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use super::history::History;
use crate::open_turn::OpenTurn;

/// Maximum number of thread and model pairs whose signed thinking is remembered per session. The oldest pair is
/// dropped.
const MOST_SIGNERS: usize = 64;

/// The state of a session, folded from its events: its model, its open turns and what its tools have touched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Absolute path of the session's workspace; `None` if unknown.
    pub workspace: Option<String>,
    /// Front end or file format that the session comes from; `None` until `session.started` is seen.
    pub source: Option<SessionSource>,
    /// Name and version of the client; `None` if unknown.
    pub client: Option<String>,
    /// Time of the first turn that came through the gateway; `None` if there was none.
    pub gateway_since: Option<Timestamp>,
    /// Turns that are running, oldest first. Usually one; sub-agents and clients that send several requests at once
    /// have more. Each is locked to its model once it is decided (004 §3.2).
    pub open: Vec<OpenTurn>,
    /// The turn decided last.
    pub last_turn: Option<TurnId>,
    /// Number of turns started.
    pub turns: u64,
    rare: Option<Box<Rare>>,
}

/// The parts of a session that many sessions do not need: a model set by the user, touched files, signed thinking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rare {
    /// Model that the user set for the session (004 §4.3).
    sticky: Option<ModelId>,
    /// Model that the user set while a turn was running; it applies from the next turn on (004 §3.3). `None`: no change
    /// is pending. `Some(None)`: the next turn removes the session's model.
    #[expect(clippy::option_option, reason = "no choice, and the choice of no model")]
    pending: Option<Option<ModelId>>,
    /// Files and directories that the session's tools have touched.
    history: History,
    /// Pairs of a thread and a model whose signed thinking the thread contains, oldest first.
    signers: Vec<(Thread, ModelId)>,
}

impl Session {
    /// Returns the model that the user set for the session (004 §4.3).
    pub fn sticky(&self) -> Option<&ModelId> {
        self.rare.as_ref()?.sticky.as_ref()
    }

    /// Returns the change that the user made while a turn was running; it applies from the next turn on (004 §3.3).
    /// `None`: no change is pending. `Some(None)`: the next turn removes the session's model.
    pub fn pending(&self) -> Option<&Option<ModelId>> {
        self.rare.as_ref()?.pending.as_ref()
    }

    /// Returns the session's model as the next turn will see it, with any pending change.
    pub fn next_sticky(&self) -> Option<&ModelId> {
        self.pending().map_or_else(|| self.sticky(), Option::as_ref)
    }

    /// Returns what the session's tools have touched; `None` if the session has no such record yet.
    pub fn history(&self) -> Option<&History> {
        self.rare.as_ref().map(|rare| &rare.history)
    }

    /// Returns the models whose signed thinking a thread contains.
    pub fn signers(&self, thread: &Thread) -> BTreeSet<ModelId> {
        let all = self.rare.iter().flat_map(|rare| &rare.signers);
        all.filter(|(of, _)| of == thread).map(|(_, model)| model.clone()).collect()
    }

    /// Returns the open turn of a thread; the latest, if there are several.
    pub fn running(&self, thread: &Thread) -> Option<&OpenTurn> {
        self.open.iter().rfind(|open| open.thread == *thread)
    }

    /// Returns an open turn by its id.
    pub fn open(&self, turn: TurnId) -> Option<&OpenTurn> {
        self.open.iter().find(|open| open.turn == turn)
    }

    /// Returns an open turn by its id, mutably.
    pub(super) fn open_mut(&mut self, turn: TurnId) -> Option<&mut OpenTurn> {
        self.open.iter_mut().find(|open| open.turn == turn)
    }

    pub(super) fn started(&mut self, event: &SessionStarted) {
        (self.workspace, self.source, self.client) =
            (event.workspace.clone(), Some(event.source), event.client.clone());
    }

    pub(super) fn selected(&mut self, event: &SessionModelSelected) {
        let rare = self.rare_mut();
        // The last change during a turn applies; earlier ones are superseded (004 §3.3).
        if event.in_turn.is_some() {
            rare.pending = Some(event.model.clone());
        } else {
            (rare.sticky, rare.pending) = (event.model.clone(), None);
        }
    }

    pub(super) fn turn_started(&mut self, event: &TurnStarted, id: EventId, at: Timestamp) {
        if let Some(rare) = &mut self.rare
            && let Some(choice) = rare.pending.take()
        {
            rare.sticky = choice;
        }
        self.turns = self.turns.saturating_add(1);
        if event.request.is_some() {
            self.gateway_since = Some(self.gateway_since.map_or(at, |since| since.min(at)));
        }
        OpenTurn::begin(&mut self.open, event, id);
    }

    /// Removes a turn that has ended, and frees the list of open turns if it was the last.
    pub(super) fn turn_ended(&mut self, turn: TurnId) {
        self.open.retain(|open| open.turn != turn);
        if self.open.is_empty() {
            self.open = Vec::new();
        }
    }

    pub(super) fn tool_called(&mut self, event: &ToolCalled, id: EventId) {
        self.rare_mut().history.add(event);
        if let Some(open) = self.open_mut(event.turn) {
            open.tool_called(id, event);
        }
    }

    /// Locks an open turn to its model. Does nothing if the turn is not open.
    pub(super) fn lock(&mut self, turn: TurnId, model: Option<&ModelId>) {
        if let Some(open) = self.open_mut(turn) {
            open.model = model.cloned();
        }
    }

    /// Records that a thread contains signed thinking of a model.
    pub(super) fn sign(&mut self, thread: &Thread, model: &ModelId) {
        let signers = &mut self.rare_mut().signers;
        if signers.iter().any(|(of, by)| (of, by) == (thread, model)) {
            return;
        }
        if MOST_SIGNERS <= signers.len() {
            signers.remove(0);
        }
        signers.push((thread.clone(), model.clone()));
    }

    fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_does_nothing_special_is_small() {
        assert!(size_of::<Session>() <= 150, "{} bytes", size_of::<Session>());
    }
}
