//! [`Thread`], the part of a session that a turn and its calls belong to, and [`Parent`], the origin of a session.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AuxiliaryCall, SessionId, ThreadId, TurnId};

/// A part of a session with its own history: the conversation with the user, a sub-agent, or the auxiliary calls of one
/// kind. Turns, calls and costs are recorded by thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    /// The conversation with the user.
    #[default]
    Main,
    /// The conversation of a sub-agent or worker, with the client's id of it.
    SubAgent(ThreadId),
    /// The auxiliary calls of one kind.
    Auxiliary(AuxiliaryCall),
    /// The questions of turnwise to a model which skill fits a message. No turn belongs to it.
    SkillRouting,
}

impl Thread {
    /// Returns the purpose of the thread's calls, by which costs are broken down.
    pub const fn role(&self) -> CallRole {
        match self {
            Self::Main => CallRole::Planner,
            Self::SubAgent(_) => CallRole::Worker,
            Self::Auxiliary(_) => CallRole::Auxiliary,
            Self::SkillRouting => CallRole::SkillRouting,
        }
    }

    /// Returns the id of the sub-agent; `None` for other threads.
    pub const fn sub_agent(&self) -> Option<&ThreadId> {
        match self {
            Self::SubAgent(id) => Some(id),
            Self::Main | Self::Auxiliary(_) | Self::SkillRouting => None,
        }
    }

    /// Returns the name of the thread inside its role: the id of the sub-agent or the kind of the auxiliary call;
    /// `None` for the main thread and for skill routing.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Main | Self::SkillRouting => None,
            Self::SubAgent(id) => Some(id.as_str()),
            Self::Auxiliary(kind) => Some(kind.name()),
        }
    }
}

impl From<Option<ThreadId>> for Thread {
    /// Converts the id of a sub-agent to its thread; `None` is the main thread.
    fn from(sub_agent: Option<ThreadId>) -> Self {
        sub_agent.map_or(Self::Main, Self::SubAgent)
    }
}

/// Purpose of a model call, by which costs are broken down (004 §6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallRole {
    /// The conversation with the user.
    Planner,
    /// The task of a sub-agent or worker.
    Worker,
    /// A task of the client itself, such as a title.
    Auxiliary,
    /// A question of turnwise to a model which skill fits a message.
    SkillRouting,
}

impl CallRole {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Planner, Self::Worker, Self::Auxiliary, Self::SkillRouting];

    /// Returns the name of the role in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Planner => "planner",
            Self::Worker => "worker",
            Self::Auxiliary => "auxiliary",
            Self::SkillRouting => "skill_routing",
        }
    }
}

impl fmt::Display for CallRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Origin of a session that another session started: the other session, with the turn and the tool call in it if they
/// are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// The parent session.
    pub session: SessionId,
    /// Turn of the parent session; `None` if unknown.
    pub turn: Option<TurnId>,
    /// Id of the tool call in that turn, as assigned by the client; `None` if unknown.
    pub tool_call: Option<String>,
}
