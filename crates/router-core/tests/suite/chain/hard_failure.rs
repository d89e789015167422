//! If no slot has a valid model, no model is called and the user gets the reason (004 §4.7, §10.1 test 8).

use router_core::Scenario;

use crate::support::{chosen, decide, explain, models_but, policy, policy_over};

/// A rule and two defaults, for models of two providers.
const POLICY: &str = r#"
rules: [{name: "always deep", when: {}, use: opus}]
workspaces: {/shop: {default: gpt}}
global_default: sonnet
"#;

#[test]
fn with_every_provider_unavailable_the_turn_is_refused() {
    let scenario = Scenario::message("hello").workspace("/shop").provider_out("anthropic").provider_out("openai");
    let decision = decide(&scenario, &policy(POLICY));
    assert_eq!(decision.chosen, None);
    assert!(decision.winner().is_none());
    assert_eq!(decision.chain.len(), 8, "every slot was evaluated");
    insta::assert_snapshot!(explain(&scenario, &policy(POLICY)));
}

#[test]
fn a_refusal_lists_configured_providers_that_were_not_tried() {
    let text = "global_default: sonnet";
    insta::assert_snapshot!(explain(&Scenario::message("hello").model_out("sonnet"), &policy(text)));
    insta::assert_snapshot!(explain(&Scenario::message("hello").provider_out("anthropic"), &policy(text)));
}

#[test]
fn providers_without_a_key_are_not_suggested() {
    let registry = models_but(|model| {
        model.configured = model.provider.as_str() == "anthropic";
        true
    });
    let policy = policy_over("global_default: sonnet", registry);
    insta::assert_snapshot!(explain(&Scenario::message("hello").provider_out("anthropic"), &policy));
}

#[test]
fn an_empty_policy_refuses_every_turn_that_names_no_model() {
    let policy = policy("");
    assert_eq!(chosen(&Scenario::message("@haiku hello"), &policy), "PER_MESSAGE_OVERRIDE claude-haiku-4-5");
    insta::assert_snapshot!(explain(&Scenario::message("hello"), &policy));
}

/// Only models that the policy names are tried, even if others could serve the turn.
#[test]
fn a_model_that_the_policy_does_not_name_is_never_used() {
    let policy = policy("global_default: opus");
    let scenario = Scenario::message("hello").model_out("opus");
    assert_eq!(chosen(&scenario, &policy), "refused", "although four other models could take it");
}
