//! The worked examples of 004 §8, one snapshot each, which serve as documentation.

use std::sync::Arc;

use crate::support::{explain, models, policy, policy_over};
use contracts::{Capabilities, Registry, Tier};
use router_core::Scenario;

#[test]
fn example_8_1_manual_sticky() {
    let policy = policy("global_default: sonnet");
    insta::assert_snapshot!(explain(&Scenario::message("Refactor this function.").sticky("sonnet"), &policy));
}

/// The policy of examples 8.2 and 8.8: a rule for commits.
const COMMITS: &str = r#"
rules:
  - name: "fast for commits"
    when: {message_matches: "^/commit"}
    use: haiku
global_default: sonnet
"#;

#[test]
fn example_8_2_rule_match() {
    insta::assert_snapshot!(explain(&Scenario::message("/commit fix the auth bug"), &policy(COMMITS)));
}

#[test]
fn example_8_3_override_beats_sticky() {
    let scenario = Scenario::message("@haiku what's a quick name for this variable?").sticky("sonnet");
    insta::assert_snapshot!(explain(&scenario, &policy("global_default: opus")));
}

#[test]
fn example_8_4_pattern_recommendation_without_a_rule() {
    let scenario = Scenario::message("Rename the session store").learned("sonnet", 78, 12);
    insta::assert_snapshot!(explain(&scenario, &policy("rules: []\nglobal_default: haiku")));
}

/// The policy of example 8.5: a rule for architecture, and a workspace.
const ARCHITECTURE: &str = r#"
rules:
  - name: "deep for architecture"
    when: {message_matches: "architecture"}
    use: opus
workspaces:
  ~/code/shop:
    default: sonnet
"#;

#[test]
fn example_8_5_outage_of_one_model() {
    let scenario = Scenario::message("Walk me through the architecture of this codebase")
        .workspace("/home/dev/code/shop")
        .model_out("opus");
    insta::assert_snapshot!(explain(&scenario, &policy(ARCHITECTURE)));
}

#[test]
fn example_8_6_outage_of_the_only_provider_is_a_hard_failure() {
    let text = r#"
rules:
  - name: "default override"
    when: {}
    use: opus
workspaces:
  ~/code/shop: {default: sonnet}
global_default: haiku
"#;
    let anthropic = models().into_iter().filter(|model| model.provider.as_str() == "anthropic");
    let policy = policy_over(text, Arc::new(Registry::new(anthropic).unwrap()));
    let scenario = Scenario::message("hello").workspace("/home/dev/code/shop/api").provider_out("anthropic");
    insta::assert_snapshot!(explain(&scenario, &policy));
}

#[test]
fn example_8_7_capability_rejection() {
    let text = r#"
rules:
  - name: "long context"
    when: {estimated_input_tokens_gt: 80000}
    use: haiku
workspaces:
  ~/code/shop: {default: opus}
"#;
    let mut blind = models();
    blind[0].capabilities = Capabilities { images: false, ..blind[0].capabilities };
    let policy = policy_over(text, Arc::new(Registry::new(blind).unwrap()));
    let scenario =
        Scenario::message("what is in this screenshot?").images().tokens(90_000).workspace("/home/dev/code/shop");
    insta::assert_snapshot!(explain(&scenario, &policy));
}

#[test]
fn example_8_8_rule_wins_and_the_pattern_store_disagrees() {
    let text = format!("{COMMITS}\npattern_disagreement: {{surface: true}}");
    let scenario = Scenario::message("/commit fix the auth bug").learned("sonnet", 87, 23);
    insta::assert_snapshot!(explain(&scenario, &policy(&text)));
}

// Examples 8.9 (the lock during tool calls) and 8.10 (a queued swap) are tests of the engine.

#[test]
fn example_8_11_delegation_re_entry() {
    let text = "tiers: {fast: haiku, balanced: sonnet, deep: opus}\nglobal_default: sonnet";
    let scenario = Scenario::message("rename `foo` to `bar` in src/").delegated(Tier::Fast).learned("opus", 90, 40);
    insta::assert_snapshot!(explain(&scenario, &policy(text)));
}

#[test]
fn example_8_12_budget_breaker_below_another_rule_does_not_fire() {
    let text = r#"
rules:
  - name: "deep for architecture"
    when: {message_matches: "architecture"}
    use: opus
  - name: "budget cap"
    when: {cost_today_exceeds_usd: 5.00}
    use: haiku
"#;
    let scenario = Scenario::message("Walk me through the architecture...").spent("5.42");
    insta::assert_snapshot!(explain(&scenario, &policy(text)));
}

#[test]
fn example_8_12_budget_breaker_on_top_fires() {
    let text = r#"
rules:
  - name: "budget cap"
    when: {cost_today_exceeds_usd: 5.00}
    use: haiku
  - name: "deep for architecture"
    when: {message_matches: "architecture"}
    use: opus
"#;
    let scenario = Scenario::message("Walk me through the architecture...").spent("5.42");
    insta::assert_snapshot!(explain(&scenario, &policy(text)));
}
