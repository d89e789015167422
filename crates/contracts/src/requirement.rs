//! Features of requests that not every wire API supports.

use std::fmt;

use serde::{Deserialize, Serialize};

mod carried;

/// A feature of a request that not every wire API supports. `wire` detects requirements in a request, and validation
/// compares them with the model and its APIs.
///
/// Features that every API supports are not listed: text, function tools and their results, inline images, and
/// responses that follow a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// Marks of the parts that the provider should store in its prompt cache.
    CacheControl,
    /// Instructions for the provider to edit the history.
    ContextManagement,
    /// Tools whose input is free text or follows a grammar.
    CustomTools,
    /// Files other than images, such as PDF.
    Documents,
    /// Audio or video.
    AudioVideo,
    /// An image given by a URL or by an id of the provider's storage.
    RemoteImages,
    /// An image in a tool result.
    ToolImages,
    /// A system message after the first message of the conversation.
    MidConversationSystem,
    /// A field, item or type that this program does not know.
    Native,
    /// Sampling settings that not every API has.
    Sampling,
    /// Tools that the provider executes.
    ServerTools,
    /// Signed thinking, which only the model that signed it may receive.
    EarlierThinking,
    /// A response that the provider stores, or a reference to a stored one.
    StoredAnswers,
    /// Several responses to one request, or token probabilities.
    ManyAnswers,
    /// A thinking setting that only its own API has.
    ThinkingControl,
    /// A thinking effort. Every API has one, but not every model supports it.
    Effort,
    /// A thinking budget in tokens, which newer models do not support.
    ThinkingBudget,
    /// Signed thinking of the running turn. Unlike thinking of earlier turns, it cannot be dropped.
    RunningThinking,
    /// Stop sequences.
    StopSequences,
    /// A response in JSON without a schema.
    JsonObject,
    /// At most one tool call in a response.
    OneToolAtATime,
    /// A conversation that ends with the model's message, which the response continues.
    Prefill,
    /// Five or more stop sequences.
    FiveStopSequences,
    /// Six or more stop sequences.
    SixStopSequences,
    /// A temperature above 1.
    HighTemperature,
    /// A stop sequence of white space only.
    BlankStopSequences,
    /// Both a temperature and a `top_p` below 1.
    TemperatureAndTopP,
    /// Thinking switched off for a model that supports it.
    NoThinking,
    /// The effort `minimal`.
    MinimalEffort,
    /// The effort `xhigh`.
    ExtraHighEffort,
    /// The effort `max`.
    MaxEffort,
    /// A tool name of more than 64 characters.
    LongToolNames,
    /// A tool name with a dot or a colon.
    DottedToolNames,
    /// A tool result without its call in the request.
    ResultWithoutCall,
    /// A tool call whose arguments are not a JSON object, or contain values that JSON parsers do not preserve.
    BrokenArguments,
    /// An image in the provider's storage.
    StoredImages,
    /// A GIF image, which may be animated.
    GifImages,
    /// An image that is neither JPEG, PNG, WebP nor GIF.
    OtherImages,
    /// Numbers, surrogates or nesting that a conversion would not preserve exactly.
    ExactBytes,
    /// A request without messages.
    SystemAlone,
}

impl Requirement {
    /// All requirements, in the order of their declaration.
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
        Self::EarlierThinking,
        Self::StoredAnswers,
        Self::ManyAnswers,
        Self::ThinkingControl,
        Self::Effort,
        Self::ThinkingBudget,
        Self::RunningThinking,
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

    /// Features that are dropped or converted if the chosen model does not support them, instead of refusing the
    /// request (decision D32). Settings that only tune the response, and earlier thinking, are dropped or converted; a
    /// system message within the conversation is sent as a message of the user. Response headers and the log report
    /// each of them.
    pub const ADAPTABLE: [Self; 8] = [
        Self::CacheControl,
        Self::ContextManagement,
        Self::MidConversationSystem,
        Self::Sampling,
        Self::EarlierThinking,
        Self::ThinkingControl,
        Self::Effort,
        Self::ThinkingBudget,
    ];

    /// Returns the name of the feature in policies and response headers.
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
            Self::EarlierThinking => "earlier_thinking",
            Self::StoredAnswers => "stored_answers",
            Self::ManyAnswers => "many_answers",
            Self::ThinkingControl => "thinking_control",
            Self::Effort => "effort",
            Self::ThinkingBudget => "thinking_budget",
            Self::RunningThinking => "running_thinking",
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

    /// Parses the name of a requirement; `None` if there is no such requirement.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|requirement| requirement.name() == name)
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
