//! The models of the worked examples, and policies written in few words.

use std::sync::Arc;

use contracts::{Capabilities, ModelSpec, Registry, Tier, Tokenizer};
use router_core::{Policy, Scenario};

/// A model of 200,000 tokens that can do everything.
pub(crate) fn model(id: &str, tier: Tier, aliases: &[&str], tokenizer: Tokenizer) -> ModelSpec {
    let (provider, _) = id.split_once(':').unwrap();
    ModelSpec {
        id: id.try_into().unwrap(),
        provider: provider.try_into().unwrap(),
        tier: Some(tier),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        context_window: 200_000,
        max_output: 64_000,
        capabilities: Capabilities { images: true, tools: true, system_prompt: true, structured_output: true },
        tokenizer,
        prices: None,
        can_delegate: tier != Tier::Fast,
        configured: true,
    }
}

/// The models 004 §8 speaks of.
pub(crate) fn models() -> Vec<ModelSpec> {
    vec![
        model("anthropic:claude-haiku-4-5", Tier::Fast, &["haiku", "fast"], Tokenizer::Anthropic),
        model("anthropic:claude-sonnet-4-6", Tier::Balanced, &["sonnet", "balanced"], Tokenizer::Anthropic),
        model("anthropic:claude-opus-4-7", Tier::Deep, &["opus", "deep"], Tokenizer::Anthropic),
        model("openai:gpt-5", Tier::Deep, &["gpt"], Tokenizer::OpenAi),
        model("openai:gpt-5-mini", Tier::Fast, &["mini"], Tokenizer::OpenAi),
    ]
}

pub(crate) fn registry() -> Arc<Registry> {
    Arc::new(Registry::new(models()).unwrap())
}

/// A valid policy over [`registry`].
#[track_caller]
pub(crate) fn policy(text: &str) -> Policy {
    policy_over(text, registry())
}

/// A valid policy over these models.
#[track_caller]
pub(crate) fn policy_over(text: &str, registry: Arc<Registry>) -> Policy {
    Policy::load(text, registry, Some("/home/dev")).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// The why text, with what the user is shown below it.
#[track_caller]
pub(crate) fn explain(scenario: &Scenario, policy: &Policy) -> String {
    let outcome = scenario.try_on(policy).unwrap();
    let banners: Vec<_> = outcome.banners.iter().map(|banner| format!("\nShown: {banner}\n")).collect();
    format!("{}{}", outcome.why, banners.concat())
}
