//! A turn as the input of the engine: a request of a live client, a preview, or a turn from a session file.

use std::{collections::BTreeSet, sync::Arc};

use catalogue::estimate::PromptShape;
use contracts::{ClientRequest, Delegation, Needs, Parent, SessionId, Thread, ThreadId};
use transcripts::{
    observed::{ObservedSession, ObservedTurn},
    skills::skills_in_message,
};

use crate::{
    live::ToolResult,
    sessions::History,
    skill_routing::{PreparedSkills, SkillModel},
};

/// A user message, or a later request of the same turn, as the front end received it.
///
/// The front end interprets nothing: the engine resolves the `@` mention, the requested model, the signers of thinking
/// and the tier of an auxiliary call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInput {
    /// The session.
    pub session: SessionId,
    /// The client's name of the message. The turn id is derived from session and name.
    pub name: String,
    /// The thread of the session that the turn belongs to.
    pub thread: Thread,
    /// The sub-agent that started this thread; `None` if it was the main thread, or is unknown.
    pub parent_thread: Option<ThreadId>,
    /// The message as the user wrote it, including the `@` mention.
    pub message: String,
    /// Earlier user messages that the request repeats, oldest first; at least as much of each as a mention may take.
    pub earlier_messages: Vec<String>,
    /// Whether the message has images.
    pub images: bool,
    /// Absolute path of the workspace; `None` if unknown: then that of the session is used.
    pub workspace: Option<String>,
    /// Client and version, recorded when the session starts.
    pub client: Option<String>,
    /// What started the session, recorded when it starts; `None` if the user did, or if it is unknown.
    pub parent: Option<Parent>,
    /// Model capabilities that the prompt requires.
    pub needs: Needs,
    /// Size of the prompt, for the token estimate.
    pub prompt: PromptShape,
    /// Skills whose description matches the message.
    pub skills: BTreeSet<String>,
    /// The skills from which the skill decision chooses: those of the workspace and of the client. `None` if none are
    /// known.
    pub prepared_skills: Option<Arc<PreparedSkills>>,
    /// Whether a model can be asked which skill fits, or has been asked.
    pub skill_model: SkillModel,
    /// Files and tools that the session used before this turn. For a live turn, the files and tools of the session in
    /// the log are added.
    pub history: History,
    /// The delegation, if a planner delegates this turn; `None` otherwise.
    pub delegation: Option<Delegation>,
    /// Kind of work, as named by the caller; dropped if longer than 40 bytes.
    pub workload: Option<String>,
    /// The client's request, or what a session file shows of it; `None` for a turn of the command line.
    pub request: Option<ClientRequest>,
    /// Whether the request continues a running turn, as one with tool results does.
    pub continues: bool,
    /// Tool results in the request.
    pub tool_results: Vec<ToolResult>,
    /// Ids of the tool calls in the request's history, for a session that several runs of a prompt may share. `None` if
    /// the session belongs to one run, which then owns all open turns of the thread.
    pub calls_in_history: Option<BTreeSet<String>>,
}

impl TurnInput {
    /// Creates the input of the engine for a user message of a session. `name` is the client's name of the message. The
    /// prompt is assumed to have tools and a system prompt; everything else is empty.
    pub fn new(session: SessionId, name: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            session,
            name: name.into(),
            thread: Thread::Main,
            parent_thread: None,
            message: message.into(),
            earlier_messages: Vec::new(),
            images: false,
            workspace: None,
            client: None,
            parent: None,
            needs: Needs { images: false, tools: true, system_prompt: true, structured_output: false },
            prompt: PromptShape::default(),
            skills: BTreeSet::new(),
            prepared_skills: None,
            skill_model: SkillModel::default(),
            history: History::default(),
            delegation: None,
            workload: None,
            request: None,
            continues: false,
            tool_results: Vec::new(),
            calls_in_history: None,
        }
    }

    /// Returns whether the turn belongs to the main conversation. Only such turns use the model that the user set for
    /// the session (decision D45); sub-agents, workers and auxiliary calls do not.
    pub(crate) fn is_of_conversation(&self) -> bool {
        self.thread == Thread::Main && self.delegation.is_none()
    }

    /// Converts a turn from a session file into the input of the engine. Its history is that of the file.
    pub(crate) fn observed(session: &ObservedSession, turn: &ObservedTurn) -> Self {
        let before = &turn.before;
        let new = Self::new(turn.session.clone(), turn.name.as_str(), turn.message.as_str());
        Self {
            thread: turn.thread.clone(),
            images: turn.message_has_images,
            workspace: session.workspace.clone(),
            skills: skills_in_message(&turn.message),
            needs: Needs { images: before.images, ..new.needs },
            prompt: before.prompt,
            history: History {
                tool_calls: before.tool_calls,
                extensions: before.extensions.clone(),
                directories: before.directories.clone(),
                tools: before.tools.clone(),
                side_effects: before.side_effects.clone(),
            },
            ..new
        }
    }
}
