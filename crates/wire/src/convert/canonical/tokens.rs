//! What an answer used, and how each API counts it.

use contracts::{Usage, WireApi};
use serde_json::{Value, json};

use crate::usage::usage;

/// What an answer used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tokens {
    pub(crate) usage: Usage,
    /// How much of the output was thinking.
    pub(crate) thinking: u64,
}

impl Tokens {
    /// What a provider's own account says.
    pub(crate) fn of(api: WireApi, account: &Value) -> Self {
        let thinking = match api {
            WireApi::AnthropicMessages => return Self::without_thinking(api, account),
            WireApi::OpenAiChat => "/completion_tokens_details/reasoning_tokens",
            WireApi::OpenAiResponses => "/output_tokens_details/reasoning_tokens",
            WireApi::Gemini => "/thoughtsTokenCount",
        };
        let thinking = account.pointer(thinking).and_then(Value::as_u64).unwrap_or(0);
        Self { thinking, ..Self::without_thinking(api, account) }
    }

    fn without_thinking(api: WireApi, account: &Value) -> Self {
        Self { usage: usage(api, &account.to_string()).unwrap_or_default(), thinking: 0 }
    }

    /// `OpenAI`'s counts of input include the cache. What was written there is said as `OpenRouter` says it.
    fn to_openai(self, input: &str, output: &str) -> Value {
        let Usage { cache_write_5m, cache_write_1h, .. } = self.usage;
        let total = self.usage.input_total().saturating_add(self.usage.output);
        let mut details = json!({"cached_tokens": self.usage.cache_read});
        let written = cache_write_5m.saturating_add(cache_write_1h);
        if written > 0 {
            details["cache_write_tokens"] = json!(written);
        }
        json!({
            (input): self.usage.input_total(),
            (format!("{input}_details")): details,
            (output): self.usage.output,
            (format!("{output}_details")): {"reasoning_tokens": self.thinking},
            "total_tokens": total,
        })
    }

    pub(crate) fn to_chat(self) -> Value {
        self.to_openai("prompt_tokens", "completion_tokens")
    }

    pub(crate) fn to_responses(self) -> Value {
        self.to_openai("input_tokens", "output_tokens")
    }

    pub(crate) fn to_anthropic(self) -> Value {
        let Usage { input, cache_read, cache_write_5m, cache_write_1h, output } = self.usage;
        json!({
            "input_tokens": input,
            "cache_creation_input_tokens": cache_write_5m.saturating_add(cache_write_1h),
            "cache_read_input_tokens": cache_read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": cache_write_5m,
                "ephemeral_1h_input_tokens": cache_write_1h,
            },
            "output_tokens": output,
        })
    }

    pub(crate) fn to_gemini(self) -> Value {
        let prompt = self.usage.input_total();
        let thinking = self.thinking.min(self.usage.output);
        let mut usage = json!({
            "promptTokenCount": prompt,
            "candidatesTokenCount": self.usage.output - thinking,
            "totalTokenCount": prompt.saturating_add(self.usage.output),
        });
        if self.usage.cache_read > 0 {
            usage["cachedContentTokenCount"] = json!(self.usage.cache_read);
        }
        if thinking > 0 {
            usage["thoughtsTokenCount"] = json!(thinking);
        }
        usage
    }
}
