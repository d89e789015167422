//! What each session has set, done and seen: the lock, the sticky model, the history that predicates read.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ModelId, SessionId, SideEffect, TurnId,
    facts::{
        LlmCallCompleted, RouteDecided, RouteOverridden, SessionModelSelected, SessionStarted, ToolCalled, TurnEnded,
        TurnStarted,
    },
};
use event_core::{CodecError, EventId, Projection, Recorded};
use serde::{Deserialize, Serialize};

/// The most names a session's history keeps of each kind: later ones are left out.
const MOST_NAMES: usize = 64;

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
    /// The model the user set (004 §4.3).
    pub sticky: Option<ModelId>,
    /// A choice made while a turn was running: it takes effect when the next turn starts (004 §3.3). The outer
    /// option says whether there is one, the inner is the choice.
    pub pending: Option<Option<ModelId>>,
    /// The turn that is running, and the model it is locked to once it is decided (004 §3.2).
    pub open: Option<OpenTurn>,
    /// The last turn that was decided.
    pub last_turn: Option<TurnId>,
    /// How many turns it has had.
    pub turns: u64,
    /// What its tools have touched.
    pub history: History,
}

/// A turn that has started and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTurn {
    /// The turn.
    pub turn: TurnId,
    /// The fact that it started.
    pub started: EventId,
    /// The model that owns the whole turn; `None` before the decision, or when it was refused.
    pub model: Option<ModelId>,
    /// Calls of models answered so far.
    pub llm_calls: u32,
    /// Calls of tools so far.
    pub tool_calls: u32,
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
    const VERSION: u32 = 1;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        if let Some(fact) = event.read::<SessionStarted>()? {
            self.entry(&fact.session).workspace = fact.workspace;
        } else if let Some(fact) = event.read::<SessionModelSelected>()? {
            let session = self.entry(&fact.session);
            // The last choice of a turn wins; earlier ones are superseded (004 §3.3).
            if fact.in_turn.is_some() {
                session.pending = Some(fact.model);
            } else {
                (session.sticky, session.pending) = (fact.model, None);
            }
        } else if let Some(fact) = event.read::<TurnStarted>()? {
            let session = self.entry(&fact.session);
            if let Some(choice) = session.pending.take() {
                session.sticky = choice;
            }
            session.turns = session.turns.saturating_add(1);
            let started = event.event.id;
            session.open = Some(OpenTurn { turn: fact.turn, started, model: None, llm_calls: 0, tool_calls: 0 });
        } else if let Some(fact) = event.read::<RouteDecided>()? {
            let session = self.entry(&fact.session);
            session.last_turn = Some(fact.turn);
            lock(session, fact.turn, fact.decision.model);
            self.latest = Some((fact.session, fact.turn));
        } else if let Some(fact) = event.read::<RouteOverridden>()? {
            lock(self.entry(&fact.session), fact.turn, Some(fact.model));
        } else if let Some(fact) = event.read::<ToolCalled>()? {
            let session = self.entry(&fact.session);
            session.history.add(&fact);
            if let Some(open) = running(session, fact.turn) {
                open.tool_calls = open.tool_calls.saturating_add(1);
            }
        } else if let Some(fact) = event.read::<LlmCallCompleted>()? {
            if let Some(open) = running(self.entry(&fact.session), fact.turn) {
                open.llm_calls = open.llm_calls.saturating_add(1);
            }
        } else if let Some(fact) = event.read::<TurnEnded>()? {
            let session = self.entry(&fact.session);
            if running(session, fact.turn).is_some() {
                session.open = None;
            }
        }
        Ok(())
    }
}

fn lock(session: &mut Session, turn: TurnId, model: Option<ModelId>) {
    if let Some(open) = running(session, turn) {
        open.model = model;
    }
}

/// The turn, if it is the one that is running.
fn running(session: &mut Session, turn: TurnId) -> Option<&mut OpenTurn> {
    session.open.as_mut().filter(|open| open.turn == turn)
}
