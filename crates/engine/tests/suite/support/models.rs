//! The models of 004 §8, with prices.

use contracts::{Capabilities, ModelId, ModelSpec, PicoUsd, Prices, Rates, Registry, Tier, Tokenizer};
use engine::Models;

/// Creates a model with all capabilities, at `dollars` per million input tokens and five times as much for output.
pub(crate) fn model(id: &str, tier: Tier, aliases: &[&str], dollars: u64) -> ModelSpec {
    let (provider, _) = id.split_once(':').unwrap();
    let rate = |times: u64| PicoUsd(dollars * times * 1_000_000);
    let base = Rates {
        input: rate(1),
        cache_read: rate(1),
        cache_write_5m: rate(1),
        cache_write_1h: rate(1),
        output: rate(5),
    };
    ModelSpec {
        id: model_id(id),
        provider: provider.try_into().unwrap(),
        tier: Some(tier),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        released: None,
        context_window: 200_000,
        max_output: 64_000,
        capabilities: Capabilities { images: true, structured_output: true, ..Capabilities::default() },
        tokenizer: if provider == "openai" { Tokenizer::OpenAi } else { Tokenizer::Anthropic },
        prices: Some(Prices { base, long: None }),
        can_delegate: tier != Tier::Fast,
        configured: true,
        apis: contracts::WireApi::usual(id.split(':').next().unwrap_or_default()),
    }
}

/// Returns three models of one provider and two of another.
pub(crate) fn models() -> Models {
    let models = [
        model(HAIKU, Tier::Fast, &["haiku"], 1),
        model(SONNET, Tier::Balanced, &["sonnet"], 3),
        model(OPUS, Tier::Deep, &["opus"], 5),
        model(GPT, Tier::Deep, &["gpt"], 2),
        model(MINI, Tier::Fast, &["mini"], 1),
    ];
    Models::from_registry(Registry::new(models).unwrap())
}

/// A fast model of Anthropic.
pub(crate) const HAIKU: &str = "anthropic:claude-haiku-4-5";
/// A balanced model of Anthropic.
pub(crate) const SONNET: &str = "anthropic:claude-sonnet-4-6";
/// A deep model of Anthropic.
pub(crate) const OPUS: &str = "anthropic:claude-opus-4-7";
/// A deep model of `OpenAI`.
pub(crate) const GPT: &str = "openai:gpt-5";
/// A fast model of `OpenAI`.
pub(crate) const MINI: &str = "openai:gpt-5-mini";

/// Parses a model id; panics if it is invalid.
pub(crate) fn model_id(id: &str) -> ModelId {
    id.try_into().unwrap()
}
