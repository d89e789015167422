//! What calls would have cost on other models, with a prompt cache of their own.

use contracts::{ModelSpec, NanoUsd, Tokenizer, events::TurnStarted};
use costs::prompt_cache::{Call, PromptCache};

/// The simulated caches of one side of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    cache: PromptCache,
}

/// How sizes counted by one tokenizer look to another: `to` for every `from` tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    from: u64,
    to: u64,
}

impl Scale {
    /// Nothing is scaled.
    pub(crate) const SAME: Self = Self { from: 1, to: 1 };

    /// By the estimates of the turn's prompt. Two models of one family count alike.
    pub(crate) fn of(started: &TurnStarted, from: Tokenizer, to: Tokenizer) -> Self {
        let (from_tokens, to_tokens) = (started.tokens.of(from), started.tokens.of(to));
        if from == to || from_tokens == 0 || to_tokens == 0 {
            return Self::SAME;
        }
        Self { from: from_tokens, to: to_tokens }
    }

    fn apply(self, tokens: u64) -> u64 {
        let scaled = u128::from(tokens) * u128::from(self.to) / u128::from(self.from);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }
}

impl Ledger {
    /// What a call costs on a model, or `None` when its price is not known. Its prompt is warm on that model afterwards.
    pub(crate) fn spend(&mut self, call: &Call, model: &ModelSpec, scale: Scale) -> Option<NanoUsd> {
        let split = self.cache.call(call, &model.id);
        // Sizes are scaled only here, so that a change of tokenizer never looks like a prompt that shrank.
        let usage = split.scaled(scale.to, scale.from).usage(scale.apply(call.usage.output));
        Some(model.prices.as_ref()?.cost(&usage))
    }
}
