//! The projection of sessions: for each session the model set by the user, the running turns with the models they are
//! locked to, and the files and tools used, which rules read.

mod history;
mod session;
mod session_skills;

use std::collections::BTreeMap;

use contracts::{
    Event, SessionId, Thread, TurnId, event_subset,
    events::{DecisionMode, LlmCallCompleted, RouteDecided},
};
use event_core::{NewEvent, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::open_turn::OpenTurn;

pub use history::History;
pub use session::Session;
pub use session_skills::{HookDecision, SessionSkills};

/// The state of all sessions in the log: the model that the user set, open turns, and the tools used so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    /// The state of each session in memory, by id.
    in_memory: BTreeMap<SessionId, Box<Session>>,
    /// The number of all sessions, including sessions that have left memory.
    count: u64,
    /// The last decided turn of the log.
    latest: Option<(SessionId, TurnId)>,
}

impl Sessions {
    /// Returns the number of sessions in the log.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns a session; `None` if the log has no event of it, or if it is not in memory
    /// ([`Engine::load_session`](crate::Engine::load_session)).
    pub fn get(&self, session: &SessionId) -> Option<&Session> {
        self.in_memory.get(session).map(|known| &**known)
    }

    /// Returns all sessions in memory in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Session)> {
        self.in_memory.iter().map(|(session, known)| (session, &**known))
    }

    /// Returns the last decided turn of the log, with its session; `None` before the first decision.
    pub fn latest(&self) -> Option<&(SessionId, TurnId)> {
        self.latest.as_ref()
    }

    /// Removes the state of a session from memory; `None` if it has none. [`Sessions::restore`] must follow before the
    /// next event of the session is folded.
    pub(crate) fn remove(&mut self, session: &SessionId) -> Option<Box<Session>> {
        self.in_memory.remove(session)
    }

    /// Adds the state of a session that [`Sessions::remove`] returned.
    pub(crate) fn restore(&mut self, session: SessionId, state: Box<Session>) {
        self.in_memory.insert(session, state);
    }

    /// Returns the state of a session for modification; creates an empty one if there is none.
    fn entry(&mut self, session: &SessionId) -> &mut Session {
        self.in_memory.entry(session.clone()).or_insert_with(|| {
            self.count += 1;
            Box::default()
        })
    }

    /// Returns a running turn of a session; `None` if it does not run.
    fn open_turn(&mut self, session: &SessionId, turn: TurnId) -> Option<&mut OpenTurn> {
        self.entry(session).open_turn_mut(turn)
    }

    /// Adds a completed call to its turn, if that is open: the turn has the model of its first response. Also adds the
    /// model to the signers of the thread if the response contains thinking.
    fn apply_call_completed(&mut self, call: &LlmCallCompleted) {
        let session = self.entry(&call.session);
        if let Some(open) = session.open_turn_mut(call.turn) {
            open.model.get_or_insert_with(|| call.model.clone());
            open.calls_waiting = open.calls_waiting.saturating_sub(1);
            open.llm_calls = open.llm_calls.saturating_add(1);
        }
        if 0 < call.thinking_blocks {
            session.add_signer(&call.thread, &call.model);
        }
    }

    /// Sets the model of a turn from its decision, unless the turn was imported. The turn is then the latest one of the
    /// log.
    fn apply_decided(&mut self, decided: &RouteDecided) {
        let session = self.entry(&decided.session);
        if session.open_turn(decided.turn).is_some_and(|open| open.thread == Thread::Main) {
            session.last_turn = Some(decided.turn);
        }
        if let Some(open) = session.open_turn_mut(decided.turn) {
            open.decided = true;
            // An imported turn runs on the model of its calls, not on the model of the decision.
            if decided.mode == DecisionMode::Live {
                open.model.clone_from(&decided.decision.chosen);
            }
        }
        self.latest = Some((decided.session.clone(), decided.turn));
    }
}

event_subset! {
    /// The events from which the state of sessions and their open turns is computed.
    pub enum SessionEvent {
        LlmCallCompleted,
        LlmCallFailed,
        LlmCallStarted,
        RouteDecided,
        RouteFallback,
        RouteOverridden,
        SessionModelSelected,
        SessionStarted,
        SkillActivated,
        SkillReused,
        SkillRouted,
        SkillWished,
        ToolCalled,
        ToolFinished,
        TurnEnded,
        TurnStarted,
    }
}

impl<'a> SessionEvent<'a> {
    /// Returns the session whose state the event changes.
    pub(crate) const fn session(self) -> &'a SessionId {
        match self {
            Self::LlmCallCompleted(body) => &body.session,
            Self::LlmCallFailed(body) => &body.session,
            Self::LlmCallStarted(body) => &body.session,
            Self::RouteDecided(body) => &body.session,
            Self::RouteFallback(body) => &body.session,
            Self::RouteOverridden(body) => &body.session,
            Self::SessionModelSelected(body) => &body.session,
            Self::SessionStarted(body) => &body.session,
            Self::SkillActivated(body) => &body.session,
            Self::SkillReused(body) => &body.session,
            Self::SkillRouted(body) => &body.session,
            Self::SkillWished(body) => &body.session,
            Self::ToolCalled(body) => &body.session,
            Self::ToolFinished(body) => &body.session,
            Self::TurnEnded(body) => &body.session,
            Self::TurnStarted(body) => &body.session,
        }
    }
}

impl Projection for Sessions {
    const NAME: &'static str = "sessions";
    const VERSION: u32 = 11;
    type Events = Event;
    type Folded<'a> = SessionEvent<'a>;

    fn apply(&mut self, event: SessionEvent<'_>, recorded: &Recorded) {
        let NewEvent { id, at, causation, .. } = recorded.event;
        match event {
            SessionEvent::SessionStarted(body) => self.entry(&body.session).apply_started(body),
            SessionEvent::SessionModelSelected(body) => self.entry(&body.session).apply_model_selected(body),
            SessionEvent::TurnStarted(body) => self.entry(&body.session).apply_turn_started(body, id, at),
            SessionEvent::RouteDecided(body) => self.apply_decided(body),
            SessionEvent::RouteOverridden(body) => self.entry(&body.session).lock_turn(body.turn, Some(&body.model)),
            SessionEvent::RouteFallback(body) => {
                if let Some(open) = self.open_turn(&body.session, body.turn) {
                    open.model.clone_from(&body.decision.chosen);
                    open.steps = open.steps.saturating_add(1);
                }
            }
            SessionEvent::LlmCallStarted(body) => {
                if let Some(open) = self.open_turn(&body.session, body.turn) {
                    open.calls_sent = open.calls_sent.saturating_add(1);
                    open.calls_waiting = open.calls_waiting.saturating_add(1);
                }
            }
            SessionEvent::LlmCallCompleted(body) => self.apply_call_completed(body),
            SessionEvent::LlmCallFailed(body) => {
                if let Some(open) = self.open_turn(&body.session, body.turn) {
                    open.calls_waiting = open.calls_waiting.saturating_sub(1);
                }
            }
            SessionEvent::SkillRouted(body) => self.entry(&body.session).apply_skill_routed(body, id, at),
            SessionEvent::SkillActivated(body) => {
                let open = self.open_turn(&body.session, body.turn);
                if let Some(deferral) = open.and_then(|open| open.deferral.as_mut()) {
                    deferral.activations = deferral.activations.saturating_add(1);
                }
            }
            SessionEvent::SkillWished(body) => {
                if let Some(open) = self.open_turn(&body.session, body.turn) {
                    open.wish = Some(Box::new(body.wish.clone()));
                }
            }
            SessionEvent::SkillReused(body) => self.entry(&body.session).apply_skill_reused(body, at),
            SessionEvent::ToolCalled(body) => self.entry(&body.session).apply_tool_called(body, id),
            SessionEvent::ToolFinished(body) => self.entry(&body.session).apply_tool_finished(body, causation),
            SessionEvent::TurnEnded(body) => self.entry(&body.session).remove_turn(body.turn),
        }
    }
}
