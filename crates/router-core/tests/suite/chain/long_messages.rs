//! Rules see the first 256 KiB of a message, and the chain states if there is more (decision D38).

use contracts::{
    MessageText, Reason, Slot, Turn,
    views::{NoPatterns, Outages, Views},
};
use router_core::{Scenario, decide as decide_turn};

use crate::support::{chosen, decide, explain, policy};

const POLICY: &str = r#"
rules:
  - {name: "review", when: {message_matches: "please review$"}, use: opus}
  - {name: "migration", when: {message_contains_any: [migration]}, use: haiku}
global_default: sonnet
"#;
const SEARCHED: usize = 256 * 1024;

/// A message of 256 KiB that ends with `end`, and then `more`.
fn long(end: &str, more: &str) -> Scenario {
    Scenario::message(format!("{}{end}{more}", "x".repeat(SEARCHED - end.len())))
}

#[test]
fn d38_a_rule_matches_at_the_end_of_256_kib() {
    assert_eq!(chosen(&long(" please review", ""), &policy(POLICY)), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(chosen(&long("migration", " and more"), &policy(POLICY)), "CONFIGURED_RULES claude-haiku-4-5");
    assert_eq!(chosen(&long("", "migration"), &policy(POLICY)), "GLOBAL_DEFAULT claude-sonnet-4-6");
}

#[test]
fn d38_an_end_anchor_does_not_match_where_the_message_is_cut() {
    assert_eq!(chosen(&long(" please review", "ed"), &policy(POLICY)), "GLOBAL_DEFAULT claude-sonnet-4-6");
}

#[test]
fn d38_the_chain_states_that_a_message_was_cut() {
    let cut = |scenario: &Scenario, text: &str| match &decide(scenario, &policy(text))
        .entry(Slot::ConfiguredRules)
        .unwrap()
        .reason
    {
        Reason::NoRuleMatched { cut } | Reason::Rule { cut, .. } => *cut,
        reason => panic!("{reason:?}"),
    };
    assert!(!cut(&long("", ""), POLICY));
    assert!(cut(&long("", "x"), POLICY) && cut(&long("migration", "x"), POLICY));
    assert!(!cut(&long("", "x"), "rules: [{when: {has_images: true}, use: opus}]"), "no rule reads the message");
    let why = explain(&long("migration", "x"), &policy(POLICY));
    assert!(why.contains("rule \"migration\" matched (in the first 256 KiB of the message) → anthropic"), "{why}");
    let why = explain(&long("", "x"), &policy(POLICY));
    assert!(why.contains("no rule matched (in the first 256 KiB of the message)"), "{why}");
}

#[test]
fn d38_a_cut_message_is_decided_alike_without_its_text() {
    let policy = policy(POLICY);
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    for scenario in [long("migration", "x"), long("", "x")] {
        let stated = scenario.turn(&policy).unwrap();
        let decided = decide_turn(&stated.turn(), &policy, &views);
        let purged = Turn { message: MessageText::Matched(&decided.matched), ..stated.turn() };
        assert_eq!(decide_turn(&purged, &policy, &views), decided);
    }
}
