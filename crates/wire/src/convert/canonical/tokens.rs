//! What an answer used, and how each API counts it.

use contracts::Usage;
use serde_json::{Value, json};

/// What an answer used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tokens {
    pub(crate) usage: Usage,
    /// How much of the output was thinking.
    pub(crate) thinking: u64,
}

fn count(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

impl Tokens {
    /// `OpenAI`'s counts of input include what came from the cache. `OpenRouter` and its like say beside it what was
    /// written there.
    fn of_openai(usage: &Value, input: &str, output: &str) -> Self {
        let details = |of: &str, name: &str| count(usage, &format!("/{of}_details/{name}"));
        let [cache_read, cache_write_5m] = ["cached_tokens", "cache_write_tokens"].map(|name| details(input, name));
        let total = count(usage, &format!("/{input}"));
        let input = total.saturating_sub(cache_read).saturating_sub(cache_write_5m);
        let thinking = details(output, "reasoning_tokens");
        let output = count(usage, &format!("/{output}"));
        Self { usage: Usage { input, cache_read, cache_write_5m, cache_write_1h: 0, output }, thinking }
    }

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

    pub(crate) fn of_chat(usage: &Value) -> Self {
        Self::of_openai(usage, "prompt_tokens", "completion_tokens")
    }

    pub(crate) fn to_chat(self) -> Value {
        self.to_openai("prompt_tokens", "completion_tokens")
    }

    pub(crate) fn of_responses(usage: &Value) -> Self {
        Self::of_openai(usage, "input_tokens", "output_tokens")
    }

    pub(crate) fn to_responses(self) -> Value {
        self.to_openai("input_tokens", "output_tokens")
    }

    /// Adds what Anthropic says: at the start the input, at the end the output, sometimes all of it again.
    pub(crate) fn add_anthropic(&mut self, usage: &Value) {
        let set = |pointer: &str, bucket: &mut u64| {
            if let Some(count) = usage.pointer(pointer).and_then(Value::as_u64) {
                *bucket = count;
            }
        };
        set("/input_tokens", &mut self.usage.input);
        set("/output_tokens", &mut self.usage.output);
        set("/cache_read_input_tokens", &mut self.usage.cache_read);
        if let Some(written) = usage.get("cache_creation_input_tokens").and_then(Value::as_u64) {
            self.usage.cache_write_1h = self.usage.cache_write_1h.min(written);
            self.usage.cache_write_5m = written - self.usage.cache_write_1h;
        }
        set("/cache_creation/ephemeral_5m_input_tokens", &mut self.usage.cache_write_5m);
        set("/cache_creation/ephemeral_1h_input_tokens", &mut self.usage.cache_write_1h);
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

    /// Gemini's prompt includes what was cached, its candidates do not include their thoughts, and what tools of its
    /// own put into the prompt is counted apart.
    pub(crate) fn of_gemini(usage: &Value) -> Self {
        let cache_read = count(usage, "/cachedContentTokenCount");
        let prompt = count(usage, "/promptTokenCount").saturating_add(count(usage, "/toolUsePromptTokenCount"));
        let thinking = count(usage, "/thoughtsTokenCount");
        let output = count(usage, "/candidatesTokenCount").saturating_add(thinking);
        let input = prompt.saturating_sub(cache_read);
        Self { usage: Usage { input, cache_read, output, ..Usage::default() }, thinking }
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
