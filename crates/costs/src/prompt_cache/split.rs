//! How a prompt is split by a prompt cache.

use contracts::{CacheLifetime, Usage};

/// The tokens of a prompt, in disjoint buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Split {
    /// Read from the cache.
    pub read: u64,
    /// Written to the cache for five minutes.
    pub written_5m: u64,
    /// Written to the cache for one hour.
    pub written_1h: u64,
    /// Neither.
    pub uncached: u64,
}

impl Split {
    pub(super) const fn new(total: u64, read: u64, uncached: u64, lifetime: CacheLifetime) -> Self {
        let written = total.saturating_sub(read).saturating_sub(uncached);
        match lifetime {
            CacheLifetime::FiveMinutes => Self { read, written_5m: written, written_1h: 0, uncached },
            CacheLifetime::OneHour => Self { read, written_5m: 0, written_1h: written, uncached },
        }
    }

    /// The whole prompt.
    pub const fn total(&self) -> u64 {
        self.usage(0).input_total()
    }

    /// As the usage of a call with so much output; `Prices::cost` says what it costs.
    pub const fn usage(&self, output: u64) -> Usage {
        Usage {
            input: self.uncached,
            cache_read: self.read,
            cache_write_5m: self.written_5m,
            cache_write_1h: self.written_1h,
            output,
        }
    }

    /// The same for a tokenizer that counts `numerator` tokens where this one counts `denominator`; unchanged when
    /// that is 0. Read and the whole are scaled, rounded down; uncached stays, written is the rest.
    #[must_use]
    pub fn scaled(&self, numerator: u64, denominator: u64) -> Self {
        let scale = |tokens: u64| {
            let scaled = (u128::from(tokens) * u128::from(numerator)).checked_div(u128::from(denominator));
            scaled.map_or(tokens, |scaled| u64::try_from(scaled).unwrap_or(u64::MAX))
        };
        let (total, read) = (scale(self.total()), scale(self.read));
        if self.written_5m == 0 && self.written_1h == 0 {
            // Nothing is ever written, or all was read: what is not read is uncached.
            return Self { read, uncached: total.saturating_sub(read), ..*self };
        }
        let lifetime = if 0 < self.written_1h { CacheLifetime::OneHour } else { CacheLifetime::FiveMinutes };
        Self::new(total, read, self.uncached.min(total.saturating_sub(read)), lifetime)
    }
}
