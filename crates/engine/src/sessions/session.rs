//! The state of one session. A log has very many sessions, so state that few of them have is stored separately.

use std::collections::BTreeSet;

use contracts::{
    ModelId, SkillOutcome, Thread, TurnId,
    events::{
        SessionModelSelected, SessionSource, SessionStarted, SkillReused, SkillRouted, ToolCalled, ToolFinished,
        TurnStarted,
    },
};
use event_core::{EventId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{history::History, session_skills::SessionSkills};
use crate::open_turn::{OpenDeferral, OpenTurn};

/// The maximum number of pairs of thread and model in [`RareState::signers`]; the oldest is removed first.
const MAX_SIGNERS: usize = 64;

/// The state of a session: its workspace and client, its model, and its running turns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The absolute path of its workspace; `None` if unknown.
    pub workspace: Option<String>,
    /// The origin of its first event: the gateway or an import.
    pub source: Option<SessionSource>,
    /// The client with its version, as the client states it.
    pub client: Option<String>,
    /// The time of its first turn through the gateway; `None` if there was none.
    pub gateway_since: Option<Timestamp>,
    /// The running turns, each locked to its model once it is decided (004 §3.2). Usually one; more with sub-agents and
    /// with clients that send several requests at once.
    pub open: Vec<OpenTurn>,
    /// The last decided turn of the main conversation, without sub-agents and auxiliary calls; `None` before the first.
    pub last_turn: Option<TurnId>,
    /// The number of turns.
    pub turns: u64,
    /// State that few sessions have; `None` if the session has none of it.
    rare: Option<Box<RareState>>,
}

/// The part of a session's state that few sessions have: the model that the user set, the tools used so far, and the
/// models that signed thinking.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RareState {
    /// The model that the user set for the session (004 §4.3).
    sticky: Option<ModelId>,
    /// A change of `sticky` that was made while a turn was running and applies when the next turn starts (004 §3.3).
    /// The outer option is `None` without a change, the inner if the model was cleared.
    #[expect(clippy::option_option, reason = "no choice, and the choice of no model")]
    pending: Option<Option<ModelId>>,
    /// The files and tools that it has used.
    history: History,
    /// Pairs of a thread and a model whose signed thinking is in the thread's history.
    signers: Vec<(Thread, ModelId)>,
    /// The skill decisions that later ones read; `None` if there is nothing to read.
    skills: Option<Box<SessionSkills>>,
}

impl Session {
    /// Returns the model that the user set for the session; `None` if none is set (004 §4.3).
    pub fn sticky(&self) -> Option<&ModelId> {
        self.rare.as_ref()?.sticky.as_ref()
    }

    /// Returns the change of the session's model that applies when the next turn starts (004 §3.3). The outer option is
    /// `None` without a change, the inner if the model was cleared.
    pub fn pending(&self) -> Option<&Option<ModelId>> {
        self.rare.as_ref()?.pending.as_ref()
    }

    /// Returns the session's model after a pending change; `None` if none is set.
    pub fn next_sticky(&self) -> Option<&ModelId> {
        self.pending().map_or_else(|| self.sticky(), Option::as_ref)
    }

    /// Returns the files and tools that the session has used; `None` before the first.
    pub fn history(&self) -> Option<&History> {
        self.rare.as_ref().map(|rare| &rare.history)
    }

    /// Returns the skill decisions that later ones read; `None` if there is nothing to read.
    pub fn skills(&self) -> Option<&SessionSkills> {
        self.rare.as_ref()?.skills.as_deref()
    }

    /// Returns the models whose signed thinking is in the history of a thread.
    pub fn signers(&self, thread: &Thread) -> BTreeSet<ModelId> {
        let signers = self.rare.iter().flat_map(|rare| &rare.signers);
        signers.filter(|(signed_thread, _)| signed_thread == thread).map(|(_, model)| model.clone()).collect()
    }

    /// Returns the running turn of a thread, the latest of several; `None` if there is none.
    pub fn running_turn(&self, thread: &Thread) -> Option<&OpenTurn> {
        self.open.iter().rfind(|open| open.thread == *thread)
    }

    /// Returns the running turn with this id; `None` if it is not running.
    pub fn open_turn(&self, turn: TurnId) -> Option<&OpenTurn> {
        self.open.iter().find(|open| open.turn == turn)
    }

    /// Returns the running turn with this id for modification; `None` if it is not running.
    pub(super) fn open_turn_mut(&mut self, turn: TurnId) -> Option<&mut OpenTurn> {
        self.open.iter_mut().find(|open| open.turn == turn)
    }

    /// Returns the turns that are interrupted if the process is killed now: those with a running call, and turns of the
    /// gateway between a failed call and the next one. A turn that waits for the result of a tool is not interrupted.
    pub(crate) fn interrupted_turns(&self) -> impl Iterator<Item = &OpenTurn> {
        let gateway = self.gateway_since.is_some();
        self.open.iter().filter(move |open| 0 < open.calls_waiting || gateway && open.tools_waiting.is_empty())
    }

    /// Returns whether the state of the session may leave memory: no turn is undecided, and none would be interrupted.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.iter().all(|open| open.decided) && self.interrupted_turns().next().is_none()
    }

    /// Updates the session with the event of its start.
    pub(super) fn apply_started(&mut self, event: &SessionStarted) {
        (self.workspace, self.source, self.client) =
            (event.workspace.clone(), Some(event.source), event.client.clone());
    }

    /// Updates the session with an event that sets or clears its model.
    pub(super) fn apply_model_selected(&mut self, event: &SessionModelSelected) {
        let rare = self.rare_mut();
        // The last change during a turn replaces earlier ones (004 §3.3).
        if event.in_turn.is_some() {
            rare.pending = Some(event.model.clone());
        } else {
            (rare.sticky, rare.pending) = (event.model.clone(), None);
        }
    }

    /// Updates the session with the start of a turn; `id` and `at` are the id and the time of its event. Applies a
    /// pending change of the model if the turn is one of the main conversation (decision D45).
    pub(super) fn apply_turn_started(&mut self, event: &TurnStarted, id: EventId, at: Timestamp) {
        if event.is_of_conversation()
            && let Some(rare) = &mut self.rare
            && let Some(choice) = rare.pending.take()
        {
            rare.sticky = choice;
        }
        self.turns = self.turns.saturating_add(1);
        if event.gateway_request().is_some() {
            self.gateway_since = Some(self.gateway_since.map_or(at, |since| since.min(at)));
        }
        OpenTurn::start(&mut self.open, event, id);
    }

    /// Removes a turn that has ended from the running turns. Releases the memory of their list with the last one.
    pub(super) fn remove_turn(&mut self, turn: TurnId) {
        self.open.retain(|open| open.turn != turn);
        if self.open.is_empty() {
            self.open = Vec::new();
        }
    }

    /// Updates the session with a tool call. `id` is the id of its event.
    pub(super) fn apply_tool_called(&mut self, event: &ToolCalled, id: EventId) {
        self.rare_mut().history.add(event);
        if let Some(open) = self.open_turn_mut(event.turn) {
            open.apply_tool_called(id, event);
        }
    }

    /// Updates the session with the result of a tool call. `called` is the event of the call; `None` if it is unknown.
    pub(super) fn apply_tool_finished(&mut self, event: &ToolFinished, called: Option<EventId>) {
        if !event.extensions.is_empty() {
            self.rare_mut().history.add_result(event);
        }
        if let (Some(called), Some(open)) = (called, self.open_turn_mut(event.turn)) {
            open.tools_waiting.retain(|tool| tool.event != called);
        }
    }

    /// Locks a turn to a model, if it is running.
    pub(super) fn lock_turn(&mut self, turn: TurnId, model: Option<&ModelId>) {
        if let Some(open) = self.open_turn_mut(turn) {
            open.model = model.cloned();
        }
    }

    /// Updates the session with a skill decision. `id` and `at` are those of its event.
    pub(super) fn apply_skill_routed(&mut self, event: &SkillRouted, id: EventId, at: Timestamp) {
        let loaded = event.decision.chosen.as_ref().map_or(&[][..], SkillOutcome::loaded);
        if let Some(open) = event.turn.and_then(|turn| self.open_turn_mut(turn)) {
            open.skills = loaded.to_vec();
            open.routed = Some((event.text, at));
            if let (Some(SkillOutcome::Defer { skill }), Some(sources)) = (&event.decision.chosen, event.sources) {
                let deferral = OpenDeferral { decision: id, skill: skill.clone(), sources, activations: 0 };
                open.deferral = Some(Box::new(deferral));
            }
        }
        let mut history = self.rare.as_mut().and_then(|rare| rare.skills.take()).unwrap_or_default();
        history.apply_routed(event, id, at);
        self.set_skills(history);
    }

    /// Updates the session with a turn that uses the decision of a hook, which its event records at `at`.
    pub(super) fn apply_skill_reused(&mut self, event: &SkillReused, at: Timestamp) {
        let mut history = self.rare.as_mut().and_then(|rare| rare.skills.take()).unwrap_or_default();
        let used = history.apply_reused(event);
        self.set_skills(history);
        if let (Some(used), Some(open)) = (used, self.open_turn_mut(event.turn)) {
            open.skills = used.loaded;
            open.routed = Some((used.text, at));
        }
    }

    /// Stores the skill decisions that later ones read, if there is something to read.
    fn set_skills(&mut self, history: Box<SessionSkills>) {
        if !history.is_empty() {
            self.rare_mut().skills = Some(history);
        }
    }

    /// Records that signed thinking of a model is in the history of a thread. Removes the oldest entry if there are
    /// more than [`MAX_SIGNERS`].
    pub(super) fn add_signer(&mut self, thread: &Thread, model: &ModelId) {
        let signers = &mut self.rare_mut().signers;
        if signers.iter().any(|(signed_thread, signer)| (signed_thread, signer) == (thread, model)) {
            return;
        }
        if MAX_SIGNERS <= signers.len() {
            signers.remove(0);
        }
        signers.push((thread.clone(), model.clone()));
    }

    /// Returns the rare state; creates it if there is none.
    fn rare_mut(&mut self) -> &mut RareState {
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
