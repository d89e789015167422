//! Delegation: the requested tier, or the next higher one with a valid model (004 §6.9, §6.10; the chain's half of
//! §10.1 tests 12, 13 and 22).

use std::sync::Arc;

use contracts::{ModelSpec, Reason, Registry, Slot, Tier, Verdict};
use router_core::{Policy, Scenario};

use crate::support::{chosen, decide, explain, models, models_but, policy, policy_over, verdict_and_failure};

/// Tiers of one provider, and a default of another.
const TIERS: &str = "tiers: {fast: haiku, balanced: sonnet, deep: opus}\nglobal_default: gpt";

/// Creates a delegation that requests a tier.
fn asking(tier: Tier) -> Scenario {
    Scenario::message("rename foo to bar").delegated(tier)
}

/// Returns the policy of [`TIERS`], for models of which those with these aliases do not support images.
fn blind(names: &'static [&str]) -> Policy {
    let registry = models_but(|model| {
        model.capabilities.images = !names.contains(&model.aliases[0].as_str());
        true
    });
    policy_over(TIERS, registry)
}

#[test]
fn each_tier_is_the_model_the_policy_maps_it_to() {
    assert_eq!(chosen(&asking(Tier::Fast), &policy(TIERS)), "DELEGATE_REQUEST claude-haiku-4-5");
    assert_eq!(chosen(&asking(Tier::Balanced), &policy(TIERS)), "DELEGATE_REQUEST claude-sonnet-4-6");
    assert_eq!(chosen(&asking(Tier::Deep), &policy(TIERS)), "DELEGATE_REQUEST claude-opus-4-7");
}

#[test]
fn a_tier_that_cannot_serve_the_delegation_is_upgraded_step_by_step() {
    let task = asking(Tier::Fast).images();
    assert_eq!(chosen(&task, &blind(&["haiku"])), "DELEGATE_REQUEST claude-sonnet-4-6");
    assert_eq!(chosen(&task, &blind(&["haiku", "sonnet"])), "DELEGATE_REQUEST claude-opus-4-7");
    insta::assert_snapshot!(explain(&task, &blind(&["haiku", "sonnet"])));
}

#[test]
fn an_upgrade_starts_at_the_tier_asked_for_and_never_goes_down() {
    let task = asking(Tier::Balanced).images();
    assert_eq!(chosen(&task, &blind(&["sonnet"])), "DELEGATE_REQUEST claude-opus-4-7");
    assert_eq!(chosen(&task, &blind(&["sonnet", "opus"])), "refused", "although haiku could take it");
}

#[test]
fn an_exhausted_deep_tier_is_refused_without_a_default() {
    let task = asking(Tier::Fast).images();
    let decision = decide(&task, &blind(&["haiku", "sonnet", "opus"]));
    assert_eq!(decision.chosen, None, "although the global default could take it");
    assert_eq!(verdict_and_failure(&decision, Slot::DelegateRequest), (Verdict::Rejected, Some("no_vision_support")));
    assert_eq!(decision.chain.len(), 5);
    insta::assert_snapshot!(explain(&task, &blind(&["haiku", "sonnet", "opus"])));
    insta::assert_snapshot!(explain(&asking(Tier::Deep).model_out("opus"), &policy(TIERS)));
}

#[test]
fn an_outage_upgrades_like_a_missing_capability() {
    assert_eq!(chosen(&asking(Tier::Fast).model_out("haiku"), &policy(TIERS)), "DELEGATE_REQUEST claude-sonnet-4-6");
    assert_eq!(chosen(&asking(Tier::Fast).provider_out("anthropic"), &policy(TIERS)), "refused");
}

#[test]
fn the_tiers_of_the_workspace_replace_the_global_ones() {
    let text = format!("{TIERS}\nworkspaces: {{/shop: {{tiers: {{fast: mini, balanced: gpt, deep: gpt}}}}}}");
    let inside = asking(Tier::Fast).workspace("/shop/api");
    assert_eq!(chosen(&inside, &policy(&text)), "DELEGATE_REQUEST gpt-5-mini");
    assert_eq!(chosen(&asking(Tier::Fast).workspace("/other"), &policy(&text)), "DELEGATE_REQUEST claude-haiku-4-5");
    // If the tiers of the workspace have no valid model, the global tiers are not used.
    assert_eq!(chosen(&inside.provider_out("openai"), &policy(&text)), "refused");
}

#[test]
fn without_a_tiers_block_the_registry_selects_the_model_of_a_tier() {
    assert_eq!(chosen(&asking(Tier::Fast), &policy("")), "DELEGATE_REQUEST claude-haiku-4-5");
    let no_fast =
        models().into_iter().map(|model| ModelSpec { tier: model.tier.filter(|tier| *tier != Tier::Fast), ..model });
    let policy = policy_over("", Arc::new(Registry::new(no_fast).unwrap()));
    assert_eq!(chosen(&asking(Tier::Fast), &policy), "DELEGATE_REQUEST claude-sonnet-4-6");
}

#[test]
fn a_tier_without_models_is_refused_with_the_reason() {
    let no_tiers = models().into_iter().map(|model| ModelSpec { tier: None, ..model });
    let policy = policy_over("global_default: gpt", Arc::new(Registry::new(no_tiers).unwrap()));
    let decision = decide(&asking(Tier::Deep), &policy);
    let entry = decision.entry(Slot::DelegateRequest).unwrap();
    assert_eq!((entry.verdict, &entry.reason), (Verdict::Rejected, &Reason::TierExhausted { asked: Tier::Deep }));
    insta::assert_snapshot!(explain(&asking(Tier::Deep), &policy));
}

#[test]
fn a_matching_rule_precedes_the_tier_of_a_delegation() {
    let text = format!("{TIERS}\nrules: [{{when: {{message_matches: rename}}, use: mini}}]");
    assert_eq!(chosen(&asking(Tier::Deep), &policy(&text)), "CONFIGURED_RULES gpt-5-mini");
}
