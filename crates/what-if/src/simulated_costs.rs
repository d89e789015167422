//! Estimates the cost of recorded model calls on other models, with a simulated prompt cache.

use contracts::{ModelSpec, NanoUsd, Tokenizer, Usage, events::TurnStarted};
use costs::prompt_cache::{Call, PromptCache};

/// Simulates the provider's prompt cache under one policy, and computes the cost of the calls with it.
#[derive(Debug, Default)]
pub(crate) struct SimulatedCosts {
    /// The simulated prompt cache.
    cache: PromptCache,
}

/// The costs of one model call, or of several, on a given model, in nano-dollars.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallCosts {
    /// With the simulated prompt cache.
    pub(crate) simulated: i64,
    /// The least that the provider bills: the whole prompt read from the cache, and the response.
    pub(crate) floor: i64,
    /// With the recorded tokens of the cache, as if a change of model lost nothing.
    pub(crate) same_cache: i64,
}

impl CallCosts {
    /// Adds the costs of a model call.
    pub(crate) fn add(&mut self, call: Self) {
        self.simulated = self.simulated.saturating_add(call.simulated);
        self.floor = self.floor.saturating_add(call.floor);
        self.same_cache = self.same_cache.saturating_add(call.same_cache);
    }

    /// Corrects the sums for a call that was added and whose model does not change: replaces its computed price by
    /// `billed`, the recorded cost in nano-dollars.
    pub(crate) fn keep_recorded(&mut self, call: Self, billed: i64) {
        self.floor = self.floor.saturating_sub(call.floor).saturating_add(call.floor.min(billed));
        self.same_cache = self.same_cache.saturating_sub(call.same_cache).saturating_add(billed);
    }
}

/// Converts an amount to a signed number of nano-dollars, saturating.
pub(crate) fn to_signed(amount: NanoUsd) -> i64 {
    i64::try_from(amount.0).unwrap_or(i64::MAX)
}

/// The ratio between the token counts of two tokenizers: `from` tokens of one are `to` tokens of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRatio {
    /// A number of tokens by the first tokenizer.
    from: u64,
    /// The number of tokens of the same text by the second tokenizer.
    to: u64,
}

impl TokenRatio {
    /// The ratio of a tokenizer to itself.
    pub(crate) const EQUAL: Self = Self { from: 1, to: 1 };

    /// Returns the ratio between the two estimates of the turn's prompt, for the tokenizers `from` and `to`;
    /// [`TokenRatio::EQUAL`] if the tokenizers are equal or an estimate is zero.
    pub(crate) fn between(started: &TurnStarted, from: Tokenizer, to: Tokenizer) -> Self {
        let (from_tokens, to_tokens) = (started.tokens.for_tokenizer(from), started.tokens.for_tokenizer(to));
        if from == to || from_tokens == 0 || to_tokens == 0 {
            return Self::EQUAL;
        }
        Self { from: from_tokens, to: to_tokens }
    }

    /// Converts a number of tokens, rounded down.
    fn apply(self, tokens: u64) -> u64 {
        let scaled = u128::from(tokens) * u128::from(self.to) / u128::from(self.from);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

impl SimulatedCosts {
    /// Simulates a recorded call as a call of `model` and returns its costs; `None` if the model has no known price.
    /// The prompt is in the simulated cache of that model afterwards. `ratio` converts the recorded token counts to
    /// those of the model.
    pub(crate) fn simulate(&mut self, call: &Call, model: &ModelSpec, ratio: TokenRatio) -> Option<CallCosts> {
        let split = self.cache.call(call, &model.id);
        // Token counts are scaled only here. The cache compares unscaled ones, so a change of tokenizer never appears
        // as a shorter prompt.
        let output = ratio.apply(call.usage.output);
        let usage = split.scaled(ratio.to, ratio.from).usage(output);
        let prices = model.prices.as_ref()?;
        let floor = Usage { cache_read: usage.input_total(), output, ..Usage::default() };
        let recorded_usage = Usage {
            input: ratio.apply(call.usage.input),
            cache_read: ratio.apply(call.usage.cache_read),
            cache_write_5m: ratio.apply(call.usage.cache_write_5m),
            cache_write_1h: ratio.apply(call.usage.cache_write_1h),
            output,
        };
        Some(CallCosts {
            simulated: to_signed(prices.cost(&usage)),
            floor: to_signed(prices.cost(&floor)),
            same_cache: to_signed(prices.cost(&recorded_usage)),
        })
    }
}
