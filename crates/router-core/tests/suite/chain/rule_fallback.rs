//! If the model of a rule is rejected, the next matching rule is used, and both are in the chain (004 §4.6, decision
//! D1).

use contracts::{Attempt, Failure, OutageScope, Slot, Verdict};
use router_core::Scenario;

use crate::support::{chosen, decide, explain, policy, verdict_and_failure};

/// Three rules with the same condition and different models.
const FALLBACK: &str = r#"
rules:
  - {name: "deep for architecture", when: {message_matches: architecture}, use: opus}
  - {name: "deep for architecture (second choice)", when: {message_matches: architecture}, use: gpt}
  - {name: "deep for architecture (third choice)", when: {message_matches: architecture}, use: sonnet}
global_default: haiku
"#;

/// Creates a turn that the rules match.
fn architecture() -> Scenario {
    Scenario::message("the architecture")
}

#[test]
fn the_second_rule_fires_only_when_the_model_of_the_first_is_rejected() {
    assert_eq!(chosen(&architecture(), &policy(FALLBACK)), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(chosen(&architecture().model_out("opus"), &policy(FALLBACK)), "CONFIGURED_RULES gpt-5");
    let both = architecture().model_out("opus").provider_out("openai");
    assert_eq!(chosen(&both, &policy(FALLBACK)), "CONFIGURED_RULES claude-sonnet-4-6");
}

#[test]
fn a_rejected_rule_is_recorded_as_an_attempt() {
    let decision = decide(&architecture().model_out("opus"), &policy(FALLBACK));
    let entry = decision.entry(Slot::ConfiguredRules).unwrap();
    assert_eq!((entry.verdict, &entry.failure), (Verdict::Chose, &None));
    let opus: contracts::ModelId = "anthropic:claude-opus-4-7".try_into().unwrap();
    assert_eq!(
        entry.attempts,
        [Attempt {
            name: "deep for architecture".to_owned(),
            candidate: opus.clone(),
            failure: Failure::ProviderUnavailable(OutageScope::ModelSpecific(opus)),
        }]
    );
    insta::assert_snapshot!(explain(&architecture().model_out("opus"), &policy(FALLBACK)));
}

#[test]
fn if_every_matching_rule_is_rejected_the_chain_continues_and_lists_all() {
    let scenario = architecture().model_out("opus").model_out("sonnet").provider_out("openai");
    let decision = decide(&scenario, &policy(FALLBACK));
    assert_eq!(
        verdict_and_failure(&decision, Slot::ConfiguredRules),
        (Verdict::Rejected, Some("provider_unavailable"))
    );
    assert_eq!(decision.winner().unwrap().slot, Slot::GlobalDefault);
    insta::assert_snapshot!(explain(&scenario, &policy(FALLBACK)));
}

#[test]
fn a_rule_that_does_not_match_is_no_attempt() {
    let text = "
rules:
  - {when: {message_matches: architecture}, use: opus}
  - {when: {message_matches: something else}, use: opus}
";
    let decision = decide(&architecture().model_out("opus"), &policy(text));
    assert_eq!(decision.entry(Slot::ConfiguredRules).unwrap().attempts.len(), 1);
}

#[test]
fn rejected_workspace_rules_fall_back_to_the_global_ones() {
    let text = "
rules: [{name: global, when: {}, use: sonnet}]
workspaces:
  /shop: {rules: [{name: local, when: {}, use: opus}]}
";
    let scenario = Scenario::message("hello").workspace("/shop").model_out("opus");
    insta::assert_snapshot!(explain(&scenario, &policy(text)));
}
