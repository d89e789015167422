//! Which conversions between APIs preserve a feature of a request, and which policy setting allows dropping it.

use std::collections::BTreeSet;

use super::Requirement;
use crate::WireApi;

impl Requirement {
    /// Returns the name under which a policy allows dropping this feature: its own name, or the name of a more general
    /// feature.
    #[must_use]
    pub const fn dropped_as(self) -> Self {
        match self {
            Self::HighTemperature | Self::TemperatureAndTopP => Self::Sampling,
            Self::NoThinking | Self::MinimalEffort | Self::ExtraHighEffort | Self::MaxEffort => Self::ThinkingControl,
            itself => itself,
        }
    }

    /// Returns whether a policy allows dropping this feature. `may_drop` contains the names in the policy.
    pub fn is_dropped_by(self, may_drop: &BTreeSet<Self>) -> bool {
        may_drop.contains(&self.dropped_as())
    }

    /// Returns whether support for the feature depends on the model instead of the API.
    pub const fn is_of_the_model(self) -> bool {
        matches!(self, Self::Effort | Self::ThinkingBudget)
    }

    /// Returns whether converting a request from the API `from` to the API `to` preserves this feature. Always true if
    /// both are the same.
    pub const fn carried(self, from: WireApi, to: WireApi) -> bool {
        use WireApi::{AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses};
        if from as u8 == to as u8 {
            return true;
        }
        let is_among_openai =
            matches!(from, OpenAiChat | OpenAiResponses) && matches!(to, OpenAiChat | OpenAiResponses);
        match self {
            // Every API has an effort; settings that only one API has are also `ThinkingControl`. Which model may
            // receive signed thinking depends on models; that other APIs lose it is covered by `EarlierThinking`.
            Self::Effort | Self::ThinkingBudget | Self::RunningThinking => true,
            // Only the two OpenAI APIs have such tools, with the same definitions, and only they agree on the meaning
            // of a final message of the model, which Anthropic continues. They send arguments as text of any content,
            // and images as URLs.
            Self::CustomTools | Self::Prefill | Self::BrokenArguments | Self::OtherImages => is_among_openai,
            // Only the OpenAI APIs accept a system message at any place, and a request for no thinking.
            Self::MidConversationSystem | Self::NoThinking => matches!(to, OpenAiChat | OpenAiResponses),
            // Gemini fetches only files that Google stores, which no other provider can fetch; and it matches results
            // with calls by the function's name.
            Self::RemoteImages | Self::ResultWithoutCall => !matches!(from, Gemini) && !matches!(to, Gemini),
            // Tool results are text in chat completions and Gemini.
            Self::ToolImages => matches!(to, AnthropicMessages | OpenAiResponses),
            // The Responses API has no stop sequences, and the response differs without them.
            Self::StopSequences => !matches!(to, OpenAiResponses),
            // Chat completions accept four stop sequences, Gemini five. Responses accept none, which `StopSequences`
            // covers.
            Self::FiveStopSequences => !matches!(to, OpenAiChat),
            Self::SixStopSequences => !matches!(to, OpenAiChat | Gemini),
            // Anthropic has no JSON without a schema, limits the temperature to 1 (the others to 2), accepts no `top_p`
            // beside a temperature with newer models, and accepts neither blank stop sequences nor a minimal effort.
            Self::JsonObject
            | Self::HighTemperature
            | Self::TemperatureAndTopP
            | Self::BlankStopSequences
            | Self::MinimalEffort => !matches!(to, AnthropicMessages),
            // Gemini cannot limit parallel tool calls, has four levels of effort, and does not accept GIF.
            Self::OneToolAtATime | Self::ExtraHighEffort | Self::GifImages => !matches!(to, Gemini),
            Self::MaxEffort => matches!(to, AnthropicMessages),
            // Tool names have at most 64 characters with OpenAI, and 128 with the others.
            Self::LongToolNames => matches!(to, AnthropicMessages | Gemini),
            Self::DottedToolNames => matches!(to, Gemini),
            _ => false,
        }
    }
}
