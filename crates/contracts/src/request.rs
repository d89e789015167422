//! Properties of a client's request that a decision reads: client, requested model, and required features.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use crate::{ModelId, Provider, Requirement, WireApi};

/// Properties of a request over a wire API, beside the user's message. `turn.started` contains them.
///
/// For an imported turn these are the properties that the session file shows: the client, the model that ran as the
/// requested model (decision D42), and some of the requirements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientRequest {
    /// API of the request.
    pub api: WireApi,
    /// Name of the client, such as `claude-code`, at most 40 bytes; `None` if unknown.
    pub client: Option<String>,
    /// Model name in the request, at most 128 bytes.
    pub model: String,
    /// Model of the registry with that name; `None` if there is none.
    pub named: Option<ModelId>,
    /// Kind of auxiliary call; `None` for requests of the conversation.
    pub auxiliary: Option<AuxiliaryCall>,
    /// Whether the request was sent by a sub-agent.
    pub subagent: bool,
    /// Features that the model's API has to support.
    pub requires: BTreeSet<Requirement>,
    /// Whether the request offers the model a web search that the provider runs.
    pub web_search: bool,
    /// Models that signed thinking in the request.
    pub signed_by: BTreeSet<ModelId>,
    /// Provider whose credentials are in the request but not in the gateway; `None` if there is no such provider.
    pub brings_key_of: Option<Provider>,
    /// Whether the turn was imported from a session file. It was not sent by this program, so it needs no key, and
    /// requirements that the file does not record are missing.
    pub imported: bool,
}

impl ClientRequest {
    /// Returns whether the client requests that the model thinks: by an effort, a budget or adaptive thinking.
    pub fn requests_thinking(&self) -> bool {
        let asks = [Requirement::Effort, Requirement::ThinkingBudget];
        asks.iter().any(|requirement| self.requires.contains(requirement))
            && !self.requires.contains(&Requirement::NoThinking)
    }
}

/// Purpose of an auxiliary call: a request that a client sends for itself, beside the conversation with the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuxiliaryCall {
    /// Generates a title for the session.
    Title,
    /// Classifies the task by difficulty or kind.
    Classifier,
    /// Summarises a text.
    Summary,
    /// Another auxiliary purpose.
    Other,
}

impl AuxiliaryCall {
    /// All purposes.
    pub const ALL: [Self; 4] = [Self::Title, Self::Classifier, Self::Summary, Self::Other];

    /// Returns the name of an auxiliary call's purpose in policies and response headers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Classifier => "classifier",
            Self::Summary => "summary",
            Self::Other => "other",
        }
    }

    /// Parses the name of a purpose; `None` if there is no such purpose.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for AuxiliaryCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
