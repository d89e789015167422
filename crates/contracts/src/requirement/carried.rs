//! Where a requirement can be met, and by what word of a policy it may be dropped.

use std::collections::BTreeSet;

use super::Requirement;
use crate::WireApi;

impl Requirement {
    /// What a policy has to name for this to be dropped: itself, or what it is a case of.
    #[must_use]
    pub const fn dropped_as(self) -> Self {
        match self {
            Self::HighTemperature | Self::TemperatureAndTopP => Self::Sampling,
            Self::NoThinking | Self::MinimalEffort | Self::ExtraHighEffort | Self::MaxEffort => Self::ThinkingControl,
            itself => itself,
        }
    }

    /// Whether a policy that allows leaving `may_drop` out allows it of this.
    pub fn is_dropped_by(self, may_drop: &BTreeSet<Self>) -> bool {
        may_drop.contains(&self.dropped_as())
    }

    /// Whether it is a matter of the model that is asked, and not of the API in which it is asked.
    pub const fn is_of_the_model(self) -> bool {
        matches!(self, Self::Effort | Self::ThinkingBudget)
    }

    /// Whether a request to an API can be said in another one without losing this.
    pub const fn carried(self, from: WireApi, to: WireApi) -> bool {
        use WireApi::{AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses};
        if from as u8 == to as u8 {
            return true;
        }
        let among_openai = matches!(from, OpenAiChat | OpenAiResponses) && matches!(to, OpenAiChat | OpenAiResponses);
        match self {
            // Every API has words for the one, and what only its own has words for is thinking control besides. Whom
            // signed thinking may be shown to is a matter of models; that other APIs lose it, signatures say.
            Self::Effort | Self::ThinkingBudget | Self::TurnSignatures => true,
            // Only OpenAI's two know tools of this kind, and describe them alike; and only they mean the same by a request
            // that ends with the model's words, with which Anthropic's go on. They say arguments as a text, whatever is
            // in it, and images as a URL.
            Self::CustomTools | Self::Prefill | Self::BrokenArguments | Self::OtherImages => among_openai,
            // OpenAI's two APIs and their like know a system message anywhere, and no thinking at all.
            Self::MidConversationSystem | Self::NoThinking => matches!(to, OpenAiChat | OpenAiResponses),
            // Gemini fetches nothing by itself but what Google keeps, which nobody else can fetch; and it finds calls and
            // results by the functions' names.
            Self::RemoteImages | Self::ResultWithoutCall => !matches!(from, Gemini) && !matches!(to, Gemini),
            // A tool's answer is text in chat completions and Gemini.
            Self::ToolImages => matches!(to, AnthropicMessages | OpenAiResponses),
            // Responses know none, and without them the answer is another one.
            Self::StopSequences => !matches!(to, OpenAiResponses),
            // Chat completions end at four of them, Gemini's at five; that Responses end at none is said above.
            Self::FiveStopSequences => !matches!(to, OpenAiChat),
            Self::SixStopSequences => !matches!(to, OpenAiChat | Gemini),
            // Anthropic's answers follow a schema or nothing. Its temperatures end at 1, the others' at 2, and its newer
            // models take no `top_p` beside one. It stops at no blank, and thinks little at least.
            Self::JsonObject
            | Self::HighTemperature
            | Self::TemperatureAndTopP
            | Self::BlankStopSequences
            | Self::MinimalEffort => !matches!(to, AnthropicMessages),
            // Gemini calls as many tools at once as it likes, has four words for how hard to think, and sees no GIF.
            Self::OneToolAtATime | Self::ExtraHighEffort | Self::GifImages => !matches!(to, Gemini),
            Self::MaxEffort => matches!(to, AnthropicMessages),
            // OpenAI's names end at 64 characters, the others' at 128.
            Self::LongToolNames => matches!(to, AnthropicMessages | Gemini),
            Self::DottedToolNames => matches!(to, Gemini),
            _ => false,
        }
    }
}
