//! What a request requires of whoever answers it.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

use crate::WireApi;

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
    /// How hard the model is to think, in the usual words: every API can say it, but not every model takes it.
    Effort,
    /// Thinking by a number of tokens, which newer models do not take any more.
    ThinkingBudget,
    /// Signed thinking of the running turn: what cannot be taken out of it, as signatures of earlier turns can.
    TurnSignatures,
    /// Texts at which the answer is to end.
    StopSequences,
    /// An answer in JSON of no schema.
    JsonObject,
    /// No more than one call of a tool at a time.
    OneToolAtATime,
    /// The model's own words at the end, which it is to go on with.
    Prefill,
    /// Five texts at which the answer is to end, or more.
    FiveStopSequences,
    /// Six texts at which the answer is to end, or more.
    SixStopSequences,
    /// A temperature above 1.
    HighTemperature,
}

impl Requirement {
    /// All of them.
    pub const ALL: [Self; 25] = [
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
        Self::Effort,
        Self::ThinkingBudget,
        Self::TurnSignatures,
        Self::StopSequences,
        Self::JsonObject,
        Self::OneToolAtATime,
        Self::Prefill,
        Self::FiveStopSequences,
        Self::SixStopSequences,
        Self::HighTemperature,
    ];

    /// What a policy may allow to be left out, visibly: the answer is then as good, or nearly.
    pub const OPTIONAL: [Self; 7] = [
        Self::CacheControl,
        Self::ContextManagement,
        Self::Sampling,
        Self::Signatures,
        Self::ThinkingControl,
        Self::Effort,
        Self::ThinkingBudget,
    ];

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
            Self::Effort => "effort",
            Self::ThinkingBudget => "thinking_budget",
            Self::TurnSignatures => "turn_signatures",
            Self::StopSequences => "stop_sequences",
            Self::JsonObject => "json_object",
            Self::OneToolAtATime => "one_tool_at_a_time",
            Self::Prefill => "prefill",
            Self::FiveStopSequences => "five_stop_sequences",
            Self::SixStopSequences => "six_stop_sequences",
            Self::HighTemperature => "high_temperature",
        }
    }

    /// The requirement called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|requirement| requirement.name() == name)
    }

    /// What a policy has to name for this to be left out: itself, or what it is a case of.
    #[must_use]
    pub const fn left_out_as(self) -> Self {
        match self {
            Self::HighTemperature => Self::Sampling,
            itself => itself,
        }
    }

    /// Whether a policy that allows leaving `may_drop` out allows it of this.
    pub fn is_dropped_by(self, may_drop: &BTreeSet<Self>) -> bool {
        may_drop.contains(&self.left_out_as())
    }

    /// Whether it is a matter of the model that is asked, and not of the API in which it is asked.
    pub const fn is_of_the_model(self) -> bool {
        matches!(self, Self::Effort | Self::ThinkingBudget)
    }

    /// Whether a request to an API can be said in another one without losing this.
    pub const fn carried(self, from: WireApi, to: WireApi) -> bool {
        if from as u8 == to as u8 {
            return true;
        }
        match self {
            // OpenAI's two APIs and their like know a system message anywhere.
            Self::MidConversationSystem => matches!(to, WireApi::OpenAiChat | WireApi::OpenAiResponses),
            // Only OpenAI's two know tools of this kind, and describe them alike; and only they mean the same by a request
            // that ends with the model's words, with which Anthropic's go on.
            Self::CustomTools | Self::Prefill => {
                matches!(from, WireApi::OpenAiChat | WireApi::OpenAiResponses)
                    && matches!(to, WireApi::OpenAiChat | WireApi::OpenAiResponses)
            }
            // Gemini fetches nothing by itself but what Google keeps, which nobody else can fetch.
            Self::RemoteImages => !matches!(from, WireApi::Gemini) && !matches!(to, WireApi::Gemini),
            // A tool's answer is text in chat completions and Gemini.
            Self::ToolImages => matches!(to, WireApi::AnthropicMessages | WireApi::OpenAiResponses),
            // Every API has words for the one, and what only its own has words for is thinking control besides. Whom
            // signed thinking may be shown to is a matter of models; that other APIs lose it, signatures say.
            Self::Effort | Self::ThinkingBudget | Self::TurnSignatures => true,
            // Responses know none, and without them the answer is another one.
            Self::StopSequences => !matches!(to, WireApi::OpenAiResponses),
            // Chat completions end at four of them, Gemini's at five; that Responses end at none is said above.
            Self::FiveStopSequences => !matches!(to, WireApi::OpenAiChat),
            Self::SixStopSequences => !matches!(to, WireApi::OpenAiChat | WireApi::Gemini),
            // Anthropic's answers follow a schema or nothing, and its temperatures end at 1, the others' at 2.
            Self::JsonObject | Self::HighTemperature => !matches!(to, WireApi::AnthropicMessages),
            // Gemini calls as many tools at once as it likes.
            Self::OneToolAtATime => !matches!(to, WireApi::Gemini),
            _ => false,
        }
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
