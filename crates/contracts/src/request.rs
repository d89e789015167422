//! A turn that came in over a wire API: who asks, for which model, and what whoever answers must be able to carry.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use crate::{ModelId, Provider, Requirement, WireApi};

/// What a client sent beside its user's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientRequest {
    /// The API it speaks.
    pub api: WireApi,
    /// The client by its usual name, such as `claude-code`; at most 40 bytes.
    pub client: Option<String>,
    /// The model it asks for, as it wrote it; at most 128 bytes.
    pub model: String,
    /// The model of the registry that goes by that name.
    pub named: Option<ModelId>,
    /// Set when this is work beside the conversation.
    pub side: Option<AuxiliaryCall>,
    /// Whether a sub-agent asks.
    pub subagent: bool,
    /// What the request needs an API to carry.
    pub requires: BTreeSet<Requirement>,
    /// The models whose signed thinking is in the request.
    pub signed_by: BTreeSet<ModelId>,
    /// The provider that the client brings its own credentials for, when the gateway has none.
    pub brings_key_of: Option<Provider>,
}

/// What a client asks for beside the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuxiliaryCall {
    /// A name for the session.
    Title,
    /// How hard the task is, or what kind of task.
    Classifier,
    /// A summary of something.
    Summary,
    /// Something else beside the work.
    Other,
}

impl AuxiliaryCall {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Title, Self::Classifier, Self::Summary, Self::Other];

    /// Its name in policies and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Classifier => "classifier",
            Self::Summary => "summary",
            Self::Other => "other",
        }
    }

    /// The auxiliary call called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.name() == name)
    }
}

impl fmt::Display for AuxiliaryCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
