//! An unavailable model is rejected, other models of its provider are not (004 §4.5.3, §10.1 tests 7 and 19).

use std::collections::BTreeMap;

use contracts::{
    Slot, Verdict,
    views::{NoPatterns, Outages, Views},
};
use event_core::Timestamp;
use router_core::{Scenario, decide as decide_turn};

use crate::support::{chosen, decide, explain, policy, verdict_and_failure};

/// Two rules for different models of one provider, above a default of another provider.
const RULES: &str = r#"
rules:
  - {name: "deep for architecture", when: {message_matches: architecture}, use: opus}
  - {name: "balanced for reads", when: {message_matches: read}, use: sonnet}
global_default: gpt
"#;

#[test]
fn a_rule_for_an_unavailable_model_is_rejected_with_the_reason() {
    insta::assert_snapshot!(explain(&Scenario::message("the architecture").model_out("opus"), &policy(RULES)));
}

#[test]
fn a_rule_for_a_healthy_model_of_the_same_provider_succeeds() {
    let scenario = Scenario::message("read this").model_out("opus");
    assert_eq!(chosen(&scenario, &policy(RULES)), "CONFIGURED_RULES claude-sonnet-4-6");
}

#[test]
fn an_outage_of_a_provider_rejects_all_of_its_models() {
    let policy = policy(RULES);
    for message in ["read this", "the architecture"] {
        let scenario = Scenario::message(message).provider_out("anthropic");
        let decision = decide(&scenario, &policy);
        assert_eq!(
            verdict_and_failure(&decision, Slot::ConfiguredRules),
            (Verdict::Rejected, Some("provider_unavailable"))
        );
        assert_eq!(chosen(&scenario, &policy), "GLOBAL_DEFAULT gpt-5");
    }
    insta::assert_snapshot!(explain(&Scenario::message("read this").provider_out("anthropic"), &policy));
}

#[test]
fn an_outage_of_the_provider_is_named_before_one_of_the_model() {
    let scenario = Scenario::message("read this").model_out("sonnet").provider_out("anthropic");
    assert!(decide(&scenario, &policy(RULES)).chain[2].failure.as_ref().is_some_and(|failure| {
        *failure
            == contracts::Failure::ProviderUnavailable(contracts::OutageScope::ProviderWide(
                "anthropic".try_into().unwrap(),
            ))
    }));
}

#[test]
fn an_outage_of_another_provider_changes_nothing() {
    let scenario = Scenario::message("read this").provider_out("openai");
    assert_eq!(chosen(&scenario, &policy(RULES)), "CONFIGURED_RULES claude-sonnet-4-6");
    assert!(scenario.try_on(&policy(RULES)).unwrap().banners.is_empty());
}

/// An outage that ends exactly when the turn starts does not reject the model.
#[test]
fn a_model_counts_as_recovered_from_the_moment_its_outage_ends() {
    let policy = policy(RULES);
    let turn = Scenario::message("read this").turn(&policy).unwrap();
    let sonnet = policy.registry().named("sonnet").unwrap().id.clone();
    let chosen = |until: Timestamp| {
        let outages = Outages { models: BTreeMap::from([(sonnet.clone(), until)]), ..Outages::default() };
        let views = Views { outages: &outages, patterns: &NoPatterns };
        decide_turn(&turn.turn(), &policy, &views).decision.winner().unwrap().slot
    };
    assert_eq!(chosen(turn.at.plus_micros(1)), Slot::GlobalDefault);
    assert_eq!(chosen(turn.at), Slot::ConfiguredRules);
}
