//! Tokens: what a call used, and what a prompt is expected to use.

use serde::{Deserialize, Serialize};

/// What one call used, in disjoint buckets: a token is counted in exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Input neither read from nor written to the prompt cache.
    pub input: u64,
    /// Input read from the prompt cache.
    pub cache_read: u64,
    /// Input written to the prompt cache for five minutes.
    pub cache_write_5m: u64,
    /// Input written to the prompt cache for one hour.
    pub cache_write_1h: u64,
    /// Output, thinking included.
    pub output: u64,
}

impl Usage {
    /// All input, cached or not.
    pub const fn input_total(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write_5m)
            .saturating_add(self.cache_write_1h)
    }

    /// The sum, bucket by bucket.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write_5m: self.cache_write_5m.saturating_add(other.cache_write_5m),
            cache_write_1h: self.cache_write_1h.saturating_add(other.cache_write_1h),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// The family of tokenizer a model counts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// Claude models.
    Anthropic,
    /// GPT and o-series models.
    OpenAi,
    /// Gemini models.
    Google,
    /// Anything else.
    #[default]
    Generic,
}

impl Tokenizer {
    /// All families, in the order of [`Estimates`].
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Google, Self::Generic];
}

/// The expected tokens of the whole prompt, per family of tokenizer (decision D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Estimates([u64; 4]);

impl Estimates {
    /// One number for every family.
    pub const fn same(tokens: u64) -> Self {
        Self([tokens; 4])
    }

    /// The number each family gives.
    pub fn each(count: impl Fn(Tokenizer) -> u64) -> Self {
        Self(Tokenizer::ALL.map(count))
    }

    /// The number for a family.
    pub const fn of(&self, tokenizer: Tokenizer) -> u64 {
        self.0[tokenizer as usize]
    }
}
