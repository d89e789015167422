//! Live turns: started, decided once, locked until they end (004 §3).

use std::{collections::BTreeSet, sync::Arc};

use catalogue::estimate::PromptShape;
use contracts::{
    ClientRequest, Delegation, ModelId, NanoUsd, Needs, SessionId, ThreadId, TurnId,
    events::{DecisionMode, RouteDecided, SessionSource, SessionStarted, TurnEnded, TurnStatus},
};
use event_core::{Event, NewEvent, Sealed, Timestamp};
use router_core::address;

use crate::{
    capture::{LONGEST_PATH, Seen, Snapshot},
    decision::DecidedTurn,
    engine::{Engine, PolicyTrouble},
    error::EngineError,
    recorder::turn_event,
    sessions::History,
};

/// A user message, as a client hands it over.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// The session.
    pub session: SessionId,
    /// What the client calls the message: the same name is the same turn.
    pub name: String,
    /// The sub-agent at work, if any.
    pub thread: Option<ThreadId>,
    /// The message as the user wrote it, with the override token.
    pub message: String,
    /// Images in the message.
    pub images: bool,
    /// The absolute path of the workspace, for a session not seen before.
    pub workspace: Option<String>,
    /// What the prompt needs.
    pub needs: Needs,
    /// What the prompt is made of.
    pub prompt: PromptShape,
    /// Skills whose description matches the message.
    pub skills: BTreeSet<String>,
    /// What tools touched before, beside what the log knows of the session.
    pub seen: History,
    /// Set when a planner asks for this turn.
    pub delegation: Option<Delegation>,
    /// What kind of work the caller says it is, at most 40 bytes; longer ones are dropped.
    pub workload: Option<String>,
    /// The request it came in, when it came over a wire API.
    pub request: Option<ClientRequest>,
    /// The client and its version, for a session not seen before.
    pub client: Option<String>,
}

impl NewTurn {
    /// A message in a session, with tools and a system prompt, and nothing else known about it.
    pub fn new(session: SessionId, name: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            session,
            name: name.into(),
            thread: None,
            message: message.into(),
            images: false,
            workspace: None,
            needs: Needs { images: false, tools: true, system_prompt: true, structured_output: false },
            prompt: PromptShape::default(),
            skills: BTreeSet::new(),
            seen: History::default(),
            delegation: None,
            workload: None,
            request: None,
            client: None,
        }
    }
}

/// A live turn that was decided, and what the policy file had to say on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedTurn {
    /// The decision, as recorded.
    pub made: DecidedTurn,
    /// Set when the policy file cannot be used and the last good policy decided.
    pub trouble: Option<PolicyTrouble>,
}

impl Engine {
    /// Starts a turn: reads the policy afresh, decides, and records it all. The turn is locked to its model until
    /// [`Engine::end_turn`]; when no model can take it, it has ended already (004 §4.7).
    ///
    /// # Errors
    /// [`EngineError::Override`] for a message addressed to no model, [`EngineError::TurnRunning`] while a turn of
    /// the session runs, [`EngineError::TurnKnown`] for one that was decided before: nothing is recorded about the
    /// turn then. Otherwise when the log cannot be written.
    pub fn start_turn(&mut self, new: &NewTurn) -> Result<StartedTurn, EngineError> {
        // Trouble is told once: it waits for a turn that starts.
        self.untold = self.refresh_policy()?.or_else(|| self.untold.take());
        // A quiet end of an outage is told before the decision that follows from it.
        self.react()?;
        let turn = TurnId::derive(&new.session, &new.name);
        self.commit()?;
        let open = self.state().sessions.get(&new.session).and_then(|session| session.running(new.thread.as_ref()));
        if let Some(open) = open {
            let (session, turn) = (new.session.to_string(), open.turn.to_string());
            return Err(EngineError::TurnRunning { session, turn });
        }
        if self.recorder.knows(turn.0.then(RouteDecided::KIND, 0))? {
            return Err(EngineError::TurnKnown { session: new.session.to_string(), turn: turn.to_string() });
        }
        // An address that names no model is found before anything is recorded.
        address(&new.message, &self.models.registry)?;
        self.see_session(new)?;
        let made =
            self.with_snapshot(new, turn, |engine, snapshot| engine.start_and_decide(snapshot, DecisionMode::Live))?;
        self.commit()?;
        Ok(StartedTurn { made, trouble: self.untold.take() })
    }

    /// Decides a message without recording anything: what would happen if it were sent now.
    ///
    /// # Errors
    /// [`EngineError::Override`] for a message addressed to no model.
    pub fn preview(&mut self, new: &NewTurn) -> Result<DecidedTurn, EngineError> {
        let turn = TurnId::derive(&new.session, &new.name);
        self.with_snapshot(new, turn, |engine, snapshot| Ok(engine.preview_snapshot(snapshot)))
    }

    /// Captures a turn and hands it on.
    pub(crate) fn with_snapshot<T>(
        &mut self,
        new: &NewTurn,
        turn: TurnId,
        then: impl FnOnce(&mut Self, Snapshot<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let addressed = address(&new.message, &self.models.registry)?;
        let at = self.now();
        let session = self.state().sessions.get(&new.session);
        let mut history = session.and_then(crate::Session::history).cloned().unwrap_or_default();
        history.merge(&new.seen);
        let spent_today: NanoUsd = self.state().costs.spent_today(at);
        let snapshot = Snapshot {
            turn,
            session: new.session.clone(),
            thread: new.thread.clone(),
            at,
            offset_minutes: (self.offset)(at),
            message: addressed.text,
            override_model: addressed.override_model,
            sticky: session.and_then(|session| session.next_sticky().cloned()),
            delegation: new.delegation,
            workspace: new.workspace.clone().or_else(|| session.and_then(|session| session.workspace.clone())),
            needs: new.needs,
            images: new.images,
            prompt: new.prompt,
            skills: new.skills.clone(),
            spent_today,
            seen: seen(&history),
            workload: new.workload.clone(),
            request: new.request.clone(),
        };
        then(self, snapshot)
    }

    /// Ends a turn. The next one of the session may start, on a model swapped meanwhile.
    ///
    /// # Errors
    /// [`EngineError::NothingRuns`] when the session has no turn running.
    pub fn end_turn(&mut self, session: &SessionId, status: TurnStatus) -> Result<(), EngineError> {
        let open = self.state().sessions.get(session).and_then(|session| session.running(None)).cloned();
        let open = open.ok_or_else(|| EngineError::NothingRuns { session: session.to_string() })?;
        let (llm_calls, tool_calls) = (open.llm_calls, open.tool_calls);
        let event = TurnEnded { turn: open.turn, session: session.clone(), status, llm_calls, tool_calls };
        let sealed = turn_event(open.turn, 0, self.now(), event)?.caused_by(open.started);
        self.recorder.record([sealed])?;
        self.judge()?;
        self.commit()
    }

    /// Records what happened in a turn, and what follows from it.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn record(&mut self, events: Vec<NewEvent>) -> Result<(), EngineError> {
        self.recorder.record(events)?;
        self.react()?;
        self.commit()
    }

    /// The model a session's running turn is locked to (004 §3.2).
    pub fn locked_model(&self, session: &SessionId) -> Option<&ModelId> {
        self.state().sessions.get(session)?.running(None)?.model.as_ref()
    }

    pub(crate) fn see_session(&mut self, new: &NewTurn) -> Result<(), EngineError> {
        // What is folded need not be looked for in the log.
        if self.state().sessions.get(&new.session).is_some_and(|session| session.source.is_some()) {
            return Ok(());
        }
        let correlation = new.session.correlation();
        let id = correlation.then(SessionStarted::KIND, 0);
        if self.recorder.knows(id)? {
            return Ok(());
        }
        let event = SessionStarted {
            session: new.session.clone(),
            source: if new.request.is_some() { SessionSource::Gateway } else { SessionSource::CommandLine },
            workspace: new.workspace.clone().filter(|path| path.len() <= LONGEST_PATH),
            client: new.client.clone(),
        };
        let now: Timestamp = self.now();
        self.recorder.record([Sealed::new(id, now, correlation, Arc::new(event))?])
    }
}

fn seen(history: &History) -> Seen<'_> {
    Seen {
        tool_calls: 0 < history.tool_calls,
        extensions: &history.extensions,
        directories: &history.directories,
        tools: &history.tools,
        side_effects: &history.side_effects,
    }
}
