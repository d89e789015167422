//! [`WireApi`], the HTTP APIs of clients and providers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An HTTP API for model calls, in which clients send requests and providers serve models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireApi {
    /// Anthropic's `/v1/messages`.
    AnthropicMessages,
    /// `OpenAI`'s `/v1/chat/completions`, also served by compatible providers.
    #[serde(rename = "openai_chat")]
    OpenAiChat,
    /// `OpenAI`'s `/v1/responses`.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Google's `generateContent` and `streamGenerateContent`.
    Gemini,
}

impl WireApi {
    /// All APIs.
    pub const ALL: [Self; 4] = [Self::AnthropicMessages, Self::OpenAiChat, Self::OpenAiResponses, Self::Gemini];

    /// Returns the name of the wire API in files and responses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic_messages",
            Self::OpenAiChat => "openai_chat",
            Self::OpenAiResponses => "openai_responses",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the APIs over which a provider of this name usually serves its models, the preferred one first. An
    /// unknown provider is assumed to serve chat completions.
    pub fn usual(provider: &str) -> Vec<Self> {
        match provider {
            "anthropic" => vec![Self::AnthropicMessages],
            "openai" => vec![Self::OpenAiResponses, Self::OpenAiChat],
            "google" | "gemini" => vec![Self::Gemini],
            _ => vec![Self::OpenAiChat],
        }
    }

    /// Parses the name of an API; `None` if there is no such API.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }
}

impl fmt::Display for WireApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
