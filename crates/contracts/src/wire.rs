//! The wire APIs that clients and providers speak.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An API over HTTP by which a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireApi {
    /// Anthropic's `/v1/messages`.
    AnthropicMessages,
    /// `OpenAI`'s `/v1/chat/completions`, and whoever is compatible with it.
    #[serde(rename = "openai_chat")]
    OpenAiChat,
    /// `OpenAI`'s `/v1/responses`.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Google's `generateContent` and `streamGenerateContent`.
    Gemini,
}

impl WireApi {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::AnthropicMessages, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini];

    /// Its name in files and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic_messages",
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::Gemini => "gemini",
        }
    }

    /// What a provider of this name serves its models over, the preferred one first.
    pub fn usual(provider: &str) -> Vec<Self> {
        match provider {
            "anthropic" => vec![Self::AnthropicMessages],
            "openai" => vec![Self::OpenAiResponses, Self::OpenAiChat],
            "google" | "gemini" => vec![Self::Gemini],
            _ => vec![Self::OpenAiChat],
        }
    }

    /// The API called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }
}

impl fmt::Display for WireApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
