//! A session: what it has set, done and seen. There are very many, so what few of them have is apart.

use std::collections::BTreeSet;

use contracts::{
    ModelId, Thread, TurnId,
    events::{SessionModelSelected, SessionSource, SessionStarted, ToolCalled, TurnStarted},
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use super::history::History;
use crate::open_turn::OpenTurn;

/// The most threads and models of a session whose signatures are remembered.
const MOST_SIGNERS: usize = 64;

/// A session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The absolute path of its workspace.
    pub workspace: Option<String>,
    /// Where it comes from.
    pub source: Option<SessionSource>,
    /// The client and its version.
    pub client: Option<String>,
    /// When its first turn came through the gateway, if one did.
    pub gateway_since: Option<Timestamp>,
    /// The turns that are running, each with the model it is locked to once it is decided (004 §3.2): one, but for
    /// sub-agents and clients that ask for several answers at once.
    pub open: Vec<OpenTurn>,
    /// The last turn that was decided.
    pub last_turn: Option<TurnId>,
    /// How many turns it has had.
    pub turns: u64,
    rare: Option<Box<Rare>>,
}

/// What a session has whose user set a model, whose tools are seen, or whose model thinks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rare {
    /// The model the user set (004 §4.3).
    sticky: Option<ModelId>,
    /// A choice made while a turn was running: it takes effect when the next turn starts (004 §3.3). The outer
    /// option says whether there is one, the inner is the choice.
    #[expect(clippy::option_option, reason = "no choice, and the choice of no model")]
    pending: Option<Option<ModelId>>,
    /// What its tools have touched.
    history: History,
    /// Whose thinking each thread has been given, signed.
    signers: Vec<(Thread, ModelId)>,
}

impl Session {
    /// The model the user set (004 §4.3).
    pub fn sticky(&self) -> Option<&ModelId> {
        self.rare.as_ref()?.sticky.as_ref()
    }

    /// A choice made while a turn was running: it takes effect when the next turn starts (004 §3.3). The outer
    /// option says whether there is one, the inner is the choice.
    pub fn pending(&self) -> Option<&Option<ModelId>> {
        self.rare.as_ref()?.pending.as_ref()
    }

    /// The model that is set when the next turn starts.
    pub fn next_sticky(&self) -> Option<&ModelId> {
        self.pending().map_or_else(|| self.sticky(), Option::as_ref)
    }

    /// What its tools have touched; `None` before the first.
    pub fn history(&self) -> Option<&History> {
        self.rare.as_ref().map(|rare| &rare.history)
    }

    /// The models whose signed thinking a thread was given.
    pub fn signers(&self, thread: &Thread) -> BTreeSet<ModelId> {
        let all = self.rare.iter().flat_map(|rare| &rare.signers);
        all.filter(|(of, _)| of == thread).map(|(_, model)| model.clone()).collect()
    }

    /// The turn that runs in a thread; of several the last.
    pub fn running(&self, thread: &Thread) -> Option<&OpenTurn> {
        self.open.iter().rfind(|open| open.thread == *thread)
    }

    /// A turn, if it runs.
    pub fn open(&self, turn: TurnId) -> Option<&OpenTurn> {
        self.open.iter().find(|open| open.turn == turn)
    }

    /// The same, to be changed.
    pub(super) fn open_mut(&mut self, turn: TurnId) -> Option<&mut OpenTurn> {
        self.open.iter_mut().find(|open| open.turn == turn)
    }

    pub(super) fn started(&mut self, event: &SessionStarted) {
        (self.workspace, self.source, self.client) =
            (event.workspace.clone(), Some(event.source), event.client.clone());
    }

    pub(super) fn selected(&mut self, event: &SessionModelSelected) {
        let rare = self.rare_mut();
        // The last choice of a turn wins; earlier ones are superseded (004 §3.3).
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

    /// A turn is over. The room for running turns goes with the last of them.
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

    /// The model locks a turn, if that runs.
    pub(super) fn lock(&mut self, turn: TurnId, model: Option<&ModelId>) {
        if let Some(open) = self.open_mut(turn) {
            open.model = model.cloned();
        }
    }

    /// A thread was given signed thinking of a model.
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
