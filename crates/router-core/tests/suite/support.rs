//! The models of the worked examples, and short forms of policies.

use std::sync::Arc;

use contracts::{
    Capabilities, ChainSlot as _, ClientRequest, Decision, ModelId, ModelSpec, Registry, Slot, Tier, Tokenizer,
    Verdict, WireApi,
};
use router_core::{Outcome, Policy, Problem, Scenario};

/// A model with a context of 200,000 tokens and all capabilities.
pub(crate) fn model(id: &str, tier: Tier, aliases: &[&str], tokenizer: Tokenizer) -> ModelSpec {
    let (provider, _) = id.split_once(':').unwrap();
    ModelSpec {
        id: id.try_into().unwrap(),
        provider: provider.try_into().unwrap(),
        tier: Some(tier),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        released: None,
        context_window: 200_000,
        max_output: 64_000,
        capabilities: Capabilities { images: true, structured_output: true, ..Capabilities::default() },
        tokenizer,
        prices: None,
        can_delegate: tier != Tier::Fast,
        configured: true,
        apis: vec![WireApi::AnthropicMessages],
    }
}

/// The models of 004 §8.
pub(crate) fn models() -> Vec<ModelSpec> {
    vec![
        model("anthropic:claude-haiku-4-5", Tier::Fast, &["haiku", "fast"], Tokenizer::Anthropic),
        model("anthropic:claude-sonnet-4-6", Tier::Balanced, &["sonnet", "balanced"], Tokenizer::Anthropic),
        model("anthropic:claude-opus-4-7", Tier::Deep, &["opus", "deep"], Tokenizer::Anthropic),
        model("openai:gpt-5", Tier::Deep, &["gpt"], Tokenizer::OpenAi),
        model("openai:gpt-5-mini", Tier::Fast, &["mini"], Tokenizer::OpenAi),
    ]
}

/// The models of 004 §8, changed or removed by a closure; it returns whether to keep a model.
pub(crate) fn models_but(change: impl Fn(&mut ModelSpec) -> bool) -> Arc<Registry> {
    Arc::new(Registry::new(models().into_iter().filter_map(|mut model| change(&mut model).then_some(model))).unwrap())
}

pub(crate) fn registry() -> Arc<Registry> {
    models_but(|_| true)
}

/// A valid policy over [`registry`].
#[track_caller]
pub(crate) fn policy(text: &str) -> Policy {
    policy_over(text, registry())
}

/// A valid policy over these models.
#[track_caller]
pub(crate) fn policy_over(text: &str, registry: Arc<Registry>) -> Policy {
    load_over(text, registry).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

/// Loads a policy over these models; the user's home is `/home/dev`.
pub(crate) fn load_over(text: &str, registry: Arc<Registry>) -> Result<Policy, Vec<Problem>> {
    Policy::load(text, registry, Some("/home/dev"))
}

#[track_caller]
pub(crate) fn outcome(scenario: &Scenario, policy: &Policy) -> Outcome {
    scenario.try_on(policy).unwrap()
}

#[track_caller]
pub(crate) fn decide(scenario: &Scenario, policy: &Policy) -> Decision {
    outcome(scenario, policy).decision
}

/// A client request without requirements.
pub(crate) fn live_request() -> ClientRequest {
    ClientRequest {
        api: WireApi::AnthropicMessages,
        client: None,
        model: "auto".to_owned(),
        named: None,
        auxiliary: None,
        subagent: false,
        requires: [].into(),
        web_search: false,
        signed_by: [].into(),
        brings_key_of: None,
        imported: false,
    }
}

/// The slot that decides and the name of its model after the colon; `refused` without a model.
#[track_caller]
pub(crate) fn chosen(scenario: &Scenario, policy: &Policy) -> String {
    match decide(scenario, policy).winner() {
        Some(entry) => format!("{} {}", entry.slot.name(), entry.candidate.as_ref().map_or("", ModelId::model)),
        None => "refused".to_owned(),
    }
}

/// The verdict of one slot, with the failure of its model if that was rejected.
#[track_caller]
pub(crate) fn verdict_and_failure(decision: &Decision, slot: Slot) -> (Verdict, Option<&'static str>) {
    let entry = decision.entry(slot).unwrap_or_else(|| panic!("{} did not run: {decision:#?}", slot.name()));
    (entry.verdict, entry.failure.as_ref().map(contracts::Failure::name))
}

/// The explanation of a decision, followed by its banners.
#[track_caller]
pub(crate) fn explain(scenario: &Scenario, policy: &Policy) -> String {
    outcome(scenario, policy).to_string()
}
