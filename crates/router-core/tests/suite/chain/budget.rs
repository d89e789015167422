//! The daily budget: strictly more than the amount, and only in the rule that has the condition (004 §5.4, §8.12, §10.1
//! test 15).

use contracts::Reason;
use router_core::{Banner, ModelNotice, Scenario};

use crate::support::{chosen, decide, outcome, policy};

const FIRST: &str = r#"
rules:
  - {name: "budget cap", when: {cost_today_exceeds_usd: 5.00}, use: haiku}
  - {name: "deep for architecture", when: {message_matches: architecture}, use: opus}
global_default: sonnet
"#;

fn spending(dollars: &str) -> Scenario {
    Scenario::message("the architecture").spent(dollars)
}

#[test]
fn an_amount_is_exceeded_by_a_billionth_of_a_dollar_but_not_by_itself() {
    let policy = policy(FIRST);
    assert_eq!(chosen(&spending("0"), &policy), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(chosen(&spending("5.00"), &policy), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(chosen(&spending("5.000000001"), &policy), "CONFIGURED_RULES claude-haiku-4-5");
}

#[test]
fn a_limit_of_zero_is_exceeded_by_the_first_cost() {
    let policy = policy("rules: [{when: {cost_today_exceeds_usd: 0}, use: haiku}]\nglobal_default: opus");
    assert_eq!(chosen(&spending("0"), &policy), "GLOBAL_DEFAULT claude-opus-4-7");
    assert_eq!(chosen(&spending("0.000000001"), &policy), "CONFIGURED_RULES claude-haiku-4-5");
}

#[test]
fn a_budget_rule_after_a_matching_rule_is_not_used() {
    let text = r#"
rules:
  - {name: "deep for architecture", when: {message_matches: architecture}, use: opus}
  - {name: "budget cap", when: {cost_today_exceeds_usd: 5.00}, use: haiku}
"#;
    let outcome = outcome(&spending("5.42"), &policy(text));
    assert_eq!(outcome.decision.winner().unwrap().candidate.as_ref().unwrap().model(), "claude-opus-4-7");
    assert!(outcome.banners.is_empty());
}

/// The budget in the reason of the winning rule.
#[track_caller]
fn budget_of(when: &str, scenario: &Scenario) -> Option<String> {
    let policy = policy(&format!("rules: [{{name: r, when: {when}, use: haiku}}]"));
    let decision = decide(scenario, &policy);
    let Reason::Rule { budget, .. } = &decision.winner().unwrap().reason else { panic!("no rule won") };
    let told = outcome(scenario, &policy)
        .banners
        .iter()
        .any(|banner| matches!(banner, Banner::Notice(ModelNotice::Budget { .. })));
    assert_eq!(told, budget.is_some(), "the user is told exactly when a budget decided");
    budget.map(|budget| budget.amount.to_string())
}

#[test]
fn only_an_exceeded_amount_is_reported() {
    let either = "{any_of: [{message_matches: architecture}, {cost_today_exceeds_usd: 5}]}";
    assert_eq!(budget_of(either, &spending("4")), None);
    assert_eq!(budget_of(either, &spending("6")), Some("$5.00".to_owned()));
    assert_eq!(budget_of("{not: {cost_today_exceeds_usd: 5}}", &spending("4")), None);
    assert_eq!(budget_of("{cost_today_exceeds_usd: 1.5, has_images: false}", &spending("4")), Some("$1.50".to_owned()));
}
