//! What each session has set, done and seen: the lock, the sticky model, the history that predicates read.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ModelId, SessionId, SideEffect, ThreadId, TurnId,
    facts::{
        LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFellThrough, RouteOverridden,
        SessionModelSelected, SessionSource, SessionStarted, ToolCalled, ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, Projection, Recorded, Timestamp};
use serde::{Deserialize, Serialize};

use crate::open_turn::OpenTurn;

/// The most names a session's history keeps of each kind: later ones are left out.
const MOST_NAMES: usize = 64;
/// The most threads and models of a session whose signatures are remembered.
const MOST_SIGNERS: usize = 64;

/// All sessions of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    sessions: BTreeMap<SessionId, Session>,
    /// The last turn decided.
    latest: Option<(SessionId, TurnId)>,
}

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
    /// The model the user set (004 §4.3).
    pub sticky: Option<ModelId>,
    /// A choice made while a turn was running: it takes effect when the next turn starts (004 §3.3). The outer
    /// option says whether there is one, the inner is the choice.
    pub pending: Option<Option<ModelId>>,
    /// The turns that are running, each with the model it is locked to once it is decided (004 §3.2): one, but for
    /// sub-agents and clients that ask for several answers at once.
    pub open: Vec<OpenTurn>,
    /// The last turn that was decided.
    pub last_turn: Option<TurnId>,
    /// How many turns it has had.
    pub turns: u64,
    /// What its tools have touched.
    pub history: History,
    /// Whose thinking each thread has been given, signed.
    pub signers: Vec<(Option<ThreadId>, ModelId)>,
}

/// What the tools of a session have touched so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Calls of tools.
    pub tool_calls: u64,
    /// Extensions of files, lower case, with the dot.
    pub extensions: BTreeSet<String>,
    /// Top-level directories of files, inside the workspace.
    pub directories: BTreeSet<String>,
    /// Names of tools.
    pub tools: BTreeSet<String>,
    /// What they do to the world.
    pub side_effects: BTreeSet<SideEffect>,
}

impl Sessions {
    /// A session that was seen.
    pub fn get(&self, session: &SessionId) -> Option<&Session> {
        self.sessions.get(session)
    }

    /// All sessions, by id.
    pub fn iter(&self) -> impl Iterator<Item = (&SessionId, &Session)> {
        self.sessions.iter()
    }

    /// The last turn of the log that was decided, and its session.
    pub fn latest(&self) -> Option<&(SessionId, TurnId)> {
        self.latest.as_ref()
    }

    fn entry(&mut self, session: &SessionId) -> &mut Session {
        self.sessions.entry(session.clone()).or_default()
    }
}

impl Session {
    /// The turn that runs in a thread; of several the last.
    pub fn running(&self, thread: Option<&ThreadId>) -> Option<&OpenTurn> {
        self.open.iter().rfind(|open| open.thread.as_ref() == thread)
    }

    /// A turn, if it runs.
    pub fn open(&self, turn: TurnId) -> Option<&OpenTurn> {
        self.open.iter().find(|open| open.turn == turn)
    }

    /// The models whose signed thinking a thread was given.
    pub fn signers(&self, thread: Option<&ThreadId>) -> BTreeSet<ModelId> {
        let of_thread = self.signers.iter().filter(|(of, _)| of.as_ref() == thread);
        of_thread.map(|(_, model)| model.clone()).collect()
    }

    /// The model that is set when the next turn starts.
    pub fn next_sticky(&self) -> Option<&ModelId> {
        self.pending.as_ref().unwrap_or(&self.sticky).as_ref()
    }
}

impl History {
    /// This history and another one.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.tool_calls = self.tool_calls.saturating_add(other.tool_calls);
        self.extensions.extend(other.extensions.iter().cloned());
        self.directories.extend(other.directories.iter().cloned());
        self.tools.extend(other.tools.iter().cloned());
        self.side_effects.extend(&other.side_effects);
    }

    fn add(&mut self, tool: &ToolCalled) {
        self.tool_calls = self.tool_calls.saturating_add(1);
        extend(&mut self.extensions, &tool.extensions);
        extend(&mut self.directories, &tool.directories);
        extend(&mut self.tools, std::slice::from_ref(&tool.name));
        self.side_effects.insert(tool.side_effect);
    }
}

fn extend(names: &mut BTreeSet<String>, more: &[String]) {
    for name in more {
        if names.len() < MOST_NAMES {
            names.insert(name.clone());
        }
    }
}

impl Projection for Sessions {
    const NAME: &'static str = "sessions";
    const VERSION: u32 = 4;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(fact) = event.view::<SessionStarted>()? {
            let session = self.entry(&fact.session);
            (session.workspace, session.source, session.client) =
                (fact.workspace.clone(), Some(fact.source), fact.client.clone());
        } else if let Some(fact) = event.view::<SessionModelSelected>()? {
            let session = self.entry(&fact.session);
            // The last choice of a turn wins; earlier ones are superseded (004 §3.3).
            if fact.in_turn.is_some() {
                session.pending = Some(fact.model.clone());
            } else {
                (session.sticky, session.pending) = (fact.model.clone(), None);
            }
        } else if let Some(fact) = event.view::<TurnStarted>()? {
            let session = self.entry(&fact.session);
            if let Some(choice) = session.pending.take() {
                session.sticky = choice;
            }
            session.turns = session.turns.saturating_add(1);
            if fact.request.is_some() {
                let at = event.event.at;
                session.gateway_since = Some(session.gateway_since.map_or(at, |since| since.min(at)));
            }
            let started = event.event.id;
            OpenTurn::begin(&mut session.open, &fact, started);
        } else if let Some(fact) = event.view::<RouteDecided>()? {
            let session = self.entry(&fact.session);
            session.last_turn = Some(fact.turn);
            lock(session, fact.turn, fact.decision.model.clone());
            self.latest = Some((fact.session.clone(), fact.turn));
        } else if let Some(fact) = event.view::<RouteOverridden>()? {
            lock(self.entry(&fact.session), fact.turn, Some(fact.model.clone()));
        } else if let Some(fact) = event.view::<ToolCalled>()? {
            let session = self.entry(&fact.session);
            session.history.add(&fact);
            if let Some(open) = running(session, fact.turn) {
                open.tool_called(event.event.id, &fact);
            }
        } else if let Some(fact) = event.view::<ToolFinished>()? {
            if let (Some(called), Some(open)) = (event.event.causation, running(self.entry(&fact.session), fact.turn)) {
                open.tools_waiting.retain(|tool| tool.fact != called);
            }
        } else if let Some(fact) = event.view::<LlmCallCompleted>()? {
            let session = self.entry(&fact.session);
            if let Some(open) = running(session, fact.turn) {
                open.calls_waiting = open.calls_waiting.saturating_sub(1);
                open.llm_calls = open.llm_calls.saturating_add(1);
            }
            if 0 < fact.thinking_blocks {
                sign(session, (fact.thread.clone(), fact.model.clone()));
            }
        } else if let Some(fact) = event.view::<LlmCallStarted>()? {
            if let Some(open) = running(self.entry(&fact.session), fact.turn) {
                open.calls_sent = open.calls_sent.saturating_add(1);
                open.calls_waiting = open.calls_waiting.saturating_add(1);
            }
        } else if let Some(fact) = event.view::<LlmCallFailed>()? {
            if let Some(open) = running(self.entry(&fact.session), fact.turn) {
                open.calls_waiting = open.calls_waiting.saturating_sub(1);
            }
        } else if let Some(fact) = event.view::<RouteFellThrough>()? {
            if let Some(open) = running(self.entry(&fact.session), fact.turn) {
                open.model.clone_from(&fact.decision.model);
                open.steps = open.steps.saturating_add(1);
            }
        } else if let Some(fact) = event.view::<TurnEnded>()? {
            self.entry(&fact.session).open.retain(|open| open.turn != fact.turn);
        }
        Ok(())
    }
}

fn sign(session: &mut Session, signed: (Option<ThreadId>, ModelId)) {
    if !session.signers.contains(&signed) {
        if MOST_SIGNERS <= session.signers.len() {
            session.signers.remove(0);
        }
        session.signers.push(signed);
    }
}

fn lock(session: &mut Session, turn: TurnId, model: Option<ModelId>) {
    if let Some(open) = running(session, turn) {
        open.model = model;
    }
}

/// The turn, if it is the one that is running.
fn running(session: &mut Session, turn: TurnId) -> Option<&mut OpenTurn> {
    session.open.iter_mut().find(|open| open.turn == turn)
}
