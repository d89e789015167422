//! The projection of sessions: the model set by the user, running turns and the models they are locked to, and the
//! history of tools that predicates read.

mod history;
mod session;

use contracts::{
    BySession, SessionId, TurnId,
    events::{
        DecisionMode, LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFallback, RouteOverridden,
        SessionModelSelected, SessionStarted, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, EventType as _, Projection, Recorded};
use serde::{Deserialize, Serialize};

use crate::open_turn::OpenTurn;

pub use history::History;
pub use session::Session;

/// All sessions of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    sessions: BySession<Session>,
    /// The last decided turn of the log.
    latest: Option<(SessionId, TurnId)>,
}

impl Sessions {
    /// Returns a session; `None` if the log has no event of it.
    pub fn get(&self, session: &SessionId) -> Option<&Session> {
        self.sessions.get(session)
    }

    /// Returns all sessions in the order of their ids. Sorts them at each call.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Session)> {
        self.sessions.iter()
    }

    /// The last decided turn of the log, with its session; `None` before the first decision.
    pub fn latest(&self) -> Option<&(SessionId, TurnId)> {
        self.latest.as_ref()
    }

    fn entry(&mut self, session: &SessionId) -> &mut Session {
        self.sessions.entry(session)
    }

    /// Returns a running turn of a session; `None` if it does not run.
    fn open_turn(&mut self, session: &SessionId, turn: TurnId) -> Option<&mut OpenTurn> {
        self.entry(session).open_turn_mut(turn)
    }

    /// Folds an event about a model call, a fallback or the end of a turn; ignores all others.
    fn apply_turn_event(&mut self, event: &Recorded) -> Result<(), CodecError> {
        match &*event.event.kind {
            LlmCallStarted::KIND => {
                if let Some(body) = event.view::<LlmCallStarted>()?
                    && let Some(open) = self.open_turn(&body.session, body.turn)
                {
                    open.calls_sent = open.calls_sent.saturating_add(1);
                    open.calls_waiting = open.calls_waiting.saturating_add(1);
                }
            }
            LlmCallCompleted::KIND => {
                if let Some(body) = event.view::<LlmCallCompleted>()? {
                    let session = self.entry(&body.session);
                    if let Some(open) = session.open_turn_mut(body.turn) {
                        open.model.get_or_insert_with(|| body.model.clone());
                        open.calls_waiting = open.calls_waiting.saturating_sub(1);
                        open.llm_calls = open.llm_calls.saturating_add(1);
                    }
                    if 0 < body.thinking_blocks {
                        session.add_signer(&body.thread, &body.model);
                    }
                }
            }
            LlmCallFailed::KIND => {
                if let Some(body) = event.view::<LlmCallFailed>()?
                    && let Some(open) = self.open_turn(&body.session, body.turn)
                {
                    open.calls_waiting = open.calls_waiting.saturating_sub(1);
                }
            }
            RouteFallback::KIND => {
                if let Some(body) = event.view::<RouteFallback>()?
                    && let Some(open) = self.open_turn(&body.session, body.turn)
                {
                    open.model.clone_from(&body.decision.chosen);
                    open.steps = open.steps.saturating_add(1);
                }
            }
            TurnEnded::KIND => {
                if let Some(body) = event.view::<TurnEnded>()? {
                    self.entry(&body.session).remove_turn(body.turn);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Projection for Sessions {
    const NAME: &'static str = "sessions";
    const VERSION: u32 = 6;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        let (id, at) = (event.event.id, event.event.at);
        match &*event.event.kind {
            SessionStarted::KIND => {
                if let Some(body) = event.view::<SessionStarted>()? {
                    self.entry(&body.session).apply_started(&body);
                }
            }
            SessionModelSelected::KIND => {
                if let Some(body) = event.view::<SessionModelSelected>()? {
                    self.entry(&body.session).apply_model_selected(&body);
                }
            }
            TurnStarted::KIND => {
                if let Some(body) = event.view::<TurnStarted>()? {
                    self.entry(&body.session).apply_turn_started(&body, id, at);
                }
            }
            RouteDecided::KIND => {
                if let Some(body) = event.view::<RouteDecided>()? {
                    let session = self.entry(&body.session);
                    session.last_turn = Some(body.turn);
                    if let Some(open) = session.open_turn_mut(body.turn) {
                        open.decided = true;
                        // An imported turn runs on the model of its calls, not on the model of the decision.
                        if body.mode == DecisionMode::Live {
                            open.model.clone_from(&body.decision.chosen);
                        }
                    }
                    self.latest = Some((body.session.clone(), body.turn));
                }
            }
            RouteOverridden::KIND => {
                if let Some(body) = event.view::<RouteOverridden>()? {
                    self.entry(&body.session).lock_turn(body.turn, Some(&body.model));
                }
            }
            ToolCalled::KIND => {
                if let Some(body) = event.view::<ToolCalled>()? {
                    self.entry(&body.session).apply_tool_called(&body, id);
                }
            }
            ToolFinished::KIND => {
                if let Some(body) = event.view::<ToolFinished>()?
                    && let (Some(called), Some(open)) =
                        (event.event.causation, self.open_turn(&body.session, body.turn))
                {
                    open.tools_waiting.retain(|tool| tool.event != called);
                }
            }
            _ => self.apply_turn_event(event)?,
        }
        Ok(())
    }
}
