//! Prices calls on other models, with a simulated prompt cache.

use contracts::{ModelSpec, NanoUsd, Tokenizer, events::TurnStarted};
use costs::prompt_cache::{Call, PromptCache};

/// The simulated prompt cache of one policy, and the cost of calls under it.
#[derive(Debug, Default)]
pub(crate) struct SimulatedCosts {
    cache: PromptCache,
}

/// The ratio between the token counts of two tokenizers: `from` tokens of one are `to` tokens of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenRatio {
    from: u64,
    to: u64,
}

impl TokenRatio {
    /// The ratio of a tokenizer to itself.
    pub(crate) const EQUAL: Self = Self { from: 1, to: 1 };

    /// Returns the ratio between the two estimates of the turn's prompt; [`TokenRatio::EQUAL`] if the tokenizers are
    /// equal or an estimate is zero.
    pub(crate) fn between(started: &TurnStarted, from: Tokenizer, to: Tokenizer) -> Self {
        let (from_tokens, to_tokens) = (started.tokens.of(from), started.tokens.of(to));
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
    /// Simulates a call on `model` and returns its cost; `None` if the model has no price. The prompt is in that
    /// model's simulated cache afterwards.
    pub(crate) fn simulate(&mut self, call: &Call, model: &ModelSpec, ratio: TokenRatio) -> Option<NanoUsd> {
        let split = self.cache.call(call, &model.id);
        // Token counts are scaled only here. The cache compares unscaled ones, so a change of tokenizer never appears
        // as a shorter prompt.
        let usage = split.scaled(ratio.to, ratio.from).usage(ratio.apply(call.usage.output));
        Some(model.prices.as_ref()?.cost(&usage))
    }
}
