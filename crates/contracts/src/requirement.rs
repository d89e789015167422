//! What a request requires of whoever answers it.

use std::fmt;

use serde::{Deserialize, Serialize};

mod carried;

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
    /// A text of nothing but white space among those at which the answer is to end.
    BlankStopSequences,
    /// A temperature and a `top_p` at once, both below 1.
    TemperatureAndTopP,
    /// No thinking at all, of a model that could.
    NoThinking,
    /// Thinking as little as possible.
    MinimalEffort,
    /// Thinking harder than hard.
    ExtraHighEffort,
    /// Thinking as hard as possible.
    MaxEffort,
    /// A name of a tool with more than 64 characters.
    LongToolNames,
    /// A name of a tool with a dot or a colon.
    DottedToolNames,
    /// A tool's result whose call is not in the request.
    ResultWithoutCall,
    /// A call of a tool with arguments that are no JSON object, or not one that can be read exactly.
    BrokenArguments,
    /// An image that the provider has stored.
    StoredImages,
    /// An image that moves, or could.
    GifImages,
    /// An image of another type than JPEG, PNG, WebP and GIF.
    OtherImages,
    /// Digits, halves of characters or a depth that only its very bytes can say.
    ExactBytes,
    /// No conversation, or an empty one.
    SystemAlone,
}

impl Requirement {
    /// All of them.
    pub const ALL: [Self; 40] = [
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
        Self::BlankStopSequences,
        Self::TemperatureAndTopP,
        Self::NoThinking,
        Self::MinimalEffort,
        Self::ExtraHighEffort,
        Self::MaxEffort,
        Self::LongToolNames,
        Self::DottedToolNames,
        Self::ResultWithoutCall,
        Self::BrokenArguments,
        Self::StoredImages,
        Self::GifImages,
        Self::OtherImages,
        Self::ExactBytes,
        Self::SystemAlone,
    ];

    /// What a policy may allow to be dropped, visibly: the answer is then as good, or nearly.
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
            Self::BlankStopSequences => "blank_stop_sequences",
            Self::TemperatureAndTopP => "temperature_and_top_p",
            Self::NoThinking => "no_thinking",
            Self::MinimalEffort => "minimal_effort",
            Self::ExtraHighEffort => "extra_high_effort",
            Self::MaxEffort => "max_effort",
            Self::LongToolNames => "long_tool_names",
            Self::DottedToolNames => "dotted_tool_names",
            Self::ResultWithoutCall => "result_without_call",
            Self::BrokenArguments => "broken_arguments",
            Self::StoredImages => "stored_images",
            Self::GifImages => "gif_images",
            Self::OtherImages => "other_images",
            Self::ExactBytes => "exact_bytes",
            Self::SystemAlone => "system_alone",
        }
    }

    /// The requirement called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|requirement| requirement.name() == name)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
