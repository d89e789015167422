//! The first matching rule wins (004 §5.2, §10.1 test 2).

use contracts::{Reason, Slot};
use router_core::Scenario;

use crate::support::{chosen, decide, policy};

const OVERLAPPING: &str = r#"
rules:
  - {name: "review of the architecture", when: {message_matches: "review", message_contains_any: architecture}, use: opus}
  - {name: "any review", when: {message_matches: "review"}, use: sonnet}
  - {when: {message_matches: "re"}, use: mini}
  - {when: {}, use: gpt}
global_default: haiku
"#;

#[test]
fn of_matching_rules_the_first_is_chosen() {
    let policy = policy(OVERLAPPING);
    let model = |message: &str| chosen(&Scenario::message(message), &policy);
    assert_eq!(model("review the ARCHITECTURE"), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(model("review this change"), "CONFIGURED_RULES claude-sonnet-4-6");
    assert_eq!(model("rename this"), "CONFIGURED_RULES gpt-5-mini");
    assert_eq!(model("hello"), "CONFIGURED_RULES gpt-5");
}

#[test]
fn rules_after_the_chosen_one_are_not_recorded() {
    let decision = decide(&Scenario::message("review the architecture"), &policy(OVERLAPPING));
    assert!(decision.entry(Slot::ConfiguredRules).unwrap().attempts.is_empty());
}

#[test]
fn a_rule_without_a_name_is_called_by_its_index_from_zero() {
    let decision = decide(&Scenario::message("rename this"), &policy(OVERLAPPING));
    let reason = &decision.entry(Slot::ConfiguredRules).unwrap().reason;
    assert_eq!(*reason, Reason::Rule { name: "rule_2".to_owned(), budget: None, cut: false });
}

#[test]
fn no_rules_and_no_matching_rule_are_different_reasons() {
    let reason = |text| {
        let decision = decide(&Scenario::message("hello"), &policy(text));
        decision.entry(Slot::ConfiguredRules).unwrap().reason.clone()
    };
    assert_eq!(reason("rules: []"), Reason::NoRules);
    assert_eq!(reason("rules: [{when: {message_matches: bye}, use: opus}]"), Reason::NoRuleMatched { cut: false });
}
