//! The wire APIs that clients and providers speak, and what a request requires of whoever answers it.

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

/// Something in a request that not every wire API can carry.
///
/// Text, tools that are functions, their results, images in the request itself and an answer that follows a schema can
/// be said in every API and are not listed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// Marks of what the provider is to keep in its prompt cache.
    CacheControl,
    /// Edits of the history that the provider is asked to make.
    ContextManagement,
    /// Tools that take free text or a grammar instead of an object.
    CustomTools,
    /// Files other than images: PDF and the like.
    Documents,
    /// Sound or moving pictures.
    AudioVideo,
    /// An image that the provider has to fetch or has stored.
    RemoteImages,
    /// An image in the answer of a tool.
    ToolImages,
    /// A system message after the conversation began.
    MidConversationSystem,
    /// A field, an item or a type this program does not know.
    Native,
    /// Settings of sampling that other APIs do not have.
    Sampling,
    /// Tools that the provider runs itself.
    ServerTools,
    /// Thinking that only the model that wrote it may be shown.
    Signatures,
    /// An answer that the provider keeps, or continues from one it kept.
    StoredAnswers,
    /// More than one answer, or the probabilities of its words.
    ManyAnswers,
    /// How much the model is to think, in a way only its own API can say.
    ThinkingControl,
}

impl Requirement {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::CacheControl,
        Self::ContextManagement,
        Self::CustomTools,
        Self::Documents,
        Self::AudioVideo,
        Self::RemoteImages,
        Self::ToolImages,
        Self::MidConversationSystem,
        Self::Native,
        Self::Sampling,
        Self::ServerTools,
        Self::Signatures,
        Self::StoredAnswers,
        Self::ManyAnswers,
        Self::ThinkingControl,
    ];

    /// What a policy may allow to be left out, visibly: the answer is then as good, or nearly.
    pub const OPTIONAL: [Self; 5] =
        [Self::CacheControl, Self::ContextManagement, Self::Sampling, Self::Signatures, Self::ThinkingControl];

    /// Its name in policies and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CacheControl => "cache_control",
            Self::ContextManagement => "context_management",
            Self::CustomTools => "custom_tools",
            Self::Documents => "documents",
            Self::AudioVideo => "audio_video",
            Self::RemoteImages => "remote_images",
            Self::ToolImages => "tool_images",
            Self::MidConversationSystem => "mid_conversation_system",
            Self::Native => "native",
            Self::Sampling => "sampling",
            Self::ServerTools => "server_tools",
            Self::Signatures => "signatures",
            Self::StoredAnswers => "stored_answers",
            Self::ManyAnswers => "many_answers",
            Self::ThinkingControl => "thinking_control",
        }
    }

    /// The requirement called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|requirement| requirement.name() == name)
    }

    /// Whether a request to an API can be said in another one without losing this.
    pub const fn carried(self, from: WireApi, to: WireApi) -> bool {
        if from as u8 == to as u8 {
            return true;
        }
        match self {
            // OpenAI's two APIs and their like know a system message anywhere.
            Self::MidConversationSystem => matches!(to, WireApi::OpenAiChat | WireApi::OpenAiResponses),
            // Only OpenAI's two know tools of this kind, and describe them alike.
            Self::CustomTools => {
                matches!(from, WireApi::OpenAiChat | WireApi::OpenAiResponses)
                    && matches!(to, WireApi::OpenAiChat | WireApi::OpenAiResponses)
            }
            // Gemini fetches nothing by itself but what Google keeps, which nobody else can fetch.
            Self::RemoteImages => !matches!(from, WireApi::Gemini) && !matches!(to, WireApi::Gemini),
            // A tool's answer is text in chat completions and Gemini.
            Self::ToolImages => matches!(to, WireApi::AnthropicMessages | WireApi::OpenAiResponses),
            _ => false,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
