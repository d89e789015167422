//! Lists of models in rules, defaults and tiers: each is tried in order, with its reason (decision D43).

use contracts::{Slot, Tier, Verdict};
use router_core::Scenario;

use crate::support::{chosen, decide, explain, load_over, policy, registry, verdict_and_failure};

/// Lists of models in a rule, the tiers and the defaults.
const LISTS: &str = r#"
rules:
  - {name: "deep for architecture", when: {message_matches: architecture}, use: [opus, gpt, sonnet]}
tiers: {fast: [mini, haiku], balanced: sonnet, deep: [gpt, opus]}
global_default: [sonnet, gpt]
workspaces:
  /shop: {default: [mini, haiku]}
"#;

/// Creates a turn that the rule matches.
fn architecture() -> Scenario {
    Scenario::message("the architecture")
}

#[test]
fn d43_a_rule_tries_its_models_in_order_and_lists_every_attempt() {
    let policy = policy(LISTS);
    assert_eq!(chosen(&architecture(), &policy), "CONFIGURED_RULES claude-opus-4-7");
    let one_out = architecture().model_out("opus");
    assert_eq!(chosen(&one_out, &policy), "CONFIGURED_RULES gpt-5");
    let two_out = one_out.provider_out("openai");
    assert_eq!(chosen(&two_out, &policy), "CONFIGURED_RULES claude-sonnet-4-6");
    insta::assert_snapshot!(explain(&two_out, &policy));
}

#[test]
fn d43_if_all_models_of_a_rule_are_rejected_the_chain_continues() {
    let all_out = architecture().model_out("opus").model_out("sonnet").provider_out("openai");
    let decision = decide(&all_out, &policy(LISTS));
    assert_eq!(
        verdict_and_failure(&decision, Slot::ConfiguredRules),
        (Verdict::Rejected, Some("provider_unavailable"))
    );
    assert_eq!(decision.entry(Slot::ConfiguredRules).unwrap().attempts.len(), 3);
    assert_eq!(decision.entry(Slot::GlobalDefault).unwrap().attempts.len(), 2);
    assert_eq!(decision.chosen, None);
    insta::assert_snapshot!(explain(&all_out, &policy(LISTS)));
}

#[test]
fn d43_defaults_try_their_models_in_order() {
    let policy = policy(LISTS);
    let global = Scenario::message("hello").model_out("sonnet");
    assert_eq!(chosen(&global, &policy), "GLOBAL_DEFAULT gpt-5");
    let workspace = Scenario::message("hello").workspace("/shop").model_out("mini");
    assert_eq!(chosen(&workspace, &policy), "WORKSPACE_DEFAULT claude-haiku-4-5");
    insta::assert_snapshot!(explain(&workspace, &policy));
}

#[test]
fn d43_a_tier_tries_its_models_before_the_next_tier() {
    let policy = policy(LISTS);
    let fast = || Scenario::message("rename it").delegated(Tier::Fast);
    assert_eq!(chosen(&fast(), &policy), "DELEGATE_REQUEST gpt-5-mini");
    assert_eq!(chosen(&fast().model_out("mini"), &policy), "DELEGATE_REQUEST claude-haiku-4-5");
    let upgraded = fast().model_out("mini").model_out("haiku");
    assert_eq!(chosen(&upgraded, &policy), "DELEGATE_REQUEST claude-sonnet-4-6");
    insta::assert_snapshot!(explain(&upgraded, &policy));
}

#[test]
fn one_model_and_a_list_of_it_decide_alike() {
    let [one, list] = ["use: opus", "use: [opus]"]
        .map(|model| policy(&format!("rules: [{{name: a, when: {{}}, {model}}}]\nglobal_default: sonnet")));
    for scenario in [architecture(), architecture().model_out("opus")] {
        assert_eq!(decide(&scenario, &one), decide(&scenario, &list));
    }
}

#[test]
fn empty_repeated_and_too_long_lists_are_rejected() {
    let problems = |text: &str| {
        let problems = load_over(text, registry()).unwrap_err();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let nine = format!("global_default: [{}]", ["opus"; 9].join(", "));
    assert!(problems(&nine).contains("`global_default` names 9 models, the most is 8"));
    insta::assert_snapshot!(
        problems("global_default: []\nrules: [{when: {}, use: [opus, claude-opus-4-7x]}, {when: {}, use: [opus, opus]}]"),
        @r"
    line 1, column 17: `global_default` is empty: name at least one model
    line 2, column 32: `use` names an unknown model `claude-opus-4-7x`
    line 2, column 75: `use` names `anthropic:claude-opus-4-7` twice: keep one
    "
    );
}
