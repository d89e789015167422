//! Token counts: the usage of a call and the estimate of a prompt.

use serde::{Deserialize, Serialize};

/// Numbers of tokens that a model call used, by kind. The kinds are disjoint: each token is counted once.
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
    /// Output, including thinking.
    pub output: u64,
}

impl Usage {
    /// Returns the total number of input tokens, cached or not.
    pub const fn input_total(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_write_5m)
            .saturating_add(self.cache_write_1h)
    }

    /// Returns the sum of two usages for each kind of tokens, at most `u64::MAX`.
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

/// A family of models that count tokens alike. The tokens of a prompt are estimated for each family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tokenizer {
    /// Claude models.
    Anthropic,
    /// GPT and o-series models.
    OpenAi,
    /// Gemini models.
    Google,
    /// All other models.
    #[default]
    Generic,
}

impl Tokenizer {
    /// All families, in the order of the values in [`Estimates`].
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenAi, Self::Google, Self::Generic];
}

/// Estimated number of tokens of a whole prompt, for each family of tokenizers (decision D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Estimates([u64; 4]);

impl Estimates {
    /// Creates an estimate with the same number for every family.
    pub const fn same(tokens: u64) -> Self {
        Self([tokens; 4])
    }

    /// Creates an estimate with the number that `count` returns for each family.
    pub fn each(count: impl Fn(Tokenizer) -> u64) -> Self {
        Self(Tokenizer::ALL.map(count))
    }

    /// Returns the estimated tokens for a family of tokenizers.
    pub const fn for_tokenizer(&self, tokenizer: Tokenizer) -> u64 {
        self.0[tokenizer as usize]
    }
}
