//! [`PromptSplit`], the division of a prompt into tokens that are read from the cache, written to it, and uncached.

use contracts::{CacheLifetime, Usage};

/// The tokens of a prompt, by their use of the prompt cache. Each token is counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PromptSplit {
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written to the cache for five minutes.
    pub written_5m: u64,
    /// Tokens written to the cache for one hour.
    pub written_1h: u64,
    /// Tokens neither read nor written.
    pub uncached: u64,
}

impl PromptSplit {
    /// Creates the split of a prompt of `total` tokens. The tokens that are neither `read` nor `uncached` are written
    /// with `lifetime`.
    pub(super) const fn new(total: u64, read: u64, uncached: u64, lifetime: CacheLifetime) -> Self {
        let written = total.saturating_sub(read).saturating_sub(uncached);
        match lifetime {
            CacheLifetime::FiveMinutes => Self { read, written_5m: written, written_1h: 0, uncached },
            CacheLifetime::OneHour => Self { read, written_5m: 0, written_1h: written, uncached },
        }
    }

    /// Returns the number of tokens of the whole prompt.
    pub const fn total(&self) -> u64 {
        self.usage(0).input_total()
    }

    /// Converts the split into the [`Usage`] of a call with `output` output tokens.
    pub const fn usage(&self, output: u64) -> Usage {
        Usage {
            input: self.uncached,
            cache_read: self.read,
            cache_write_5m: self.written_5m,
            cache_write_1h: self.written_1h,
            output,
        }
    }

    /// Converts the token counts to another tokenizer, which counts `numerator` tokens for `denominator` tokens of this
    /// one.
    ///
    /// Read and total tokens are rounded down, the uncached tokens stay, and the written ones are the rest. Unchanged
    /// if `denominator` is 0.
    #[must_use]
    pub fn scaled(&self, numerator: u64, denominator: u64) -> Self {
        let scale = |tokens: u64| {
            let scaled = (u128::from(tokens) * u128::from(numerator)).checked_div(u128::from(denominator));
            scaled.map_or(tokens, |scaled| u64::try_from(scaled).unwrap_or(u64::MAX))
        };
        let (total, read) = (scale(self.total()), scale(self.read));
        if self.written_5m == 0 && self.written_1h == 0 {
            // The cache has no writes, or everything was read: the rest is uncached.
            return Self { read, uncached: total.saturating_sub(read), ..*self };
        }
        let lifetime = if 0 < self.written_1h { CacheLifetime::OneHour } else { CacheLifetime::FiveMinutes };
        Self::new(total, read, self.uncached.min(total.saturating_sub(read)), lifetime)
    }
}
