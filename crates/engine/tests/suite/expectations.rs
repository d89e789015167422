//! Expectations of a policy in a YAML file: met, not met, and invalid (004 §9.1).

use std::sync::Arc;

use engine::{ExpectationResult, check_expectations};
use router_core::Policy;

use crate::support::models::models;

/// The policy whose decisions are expected.
const POLICY: &str = r#"
rules:
  - {name: "fast for commits", when: {message_matches: "^/commit"}, use: haiku}
  - {name: "budget cap", when: {cost_today_exceeds_usd: 5.00}, use: haiku}
  - {name: "at night", when: {time_of_day_between: ["22:00", "06:00"]}, use: mini}
workspaces:
  /home/dev/shop: {default: opus}
tiers: {fast: haiku, balanced: sonnet, deep: opus}
global_default: sonnet
"#;

/// Loads the policy with the models of the tests.
fn policy() -> Policy {
    Policy::load(POLICY, Arc::clone(&models().registry), None).unwrap()
}

/// Checks the expectations in a text against the policy.
fn check(text: &str) -> Vec<ExpectationResult> {
    check_expectations("expectations.yaml", text, &policy()).unwrap()
}

/// Returns the differences as text, by the name of the expectation.
fn differences(text: &str) -> String {
    let checked = check(text).into_iter();
    let lines = checked.map(|checked| match checked.differences.as_slice() {
        [] => format!("{}: holds\n", checked.name),
        differences => format!("{}:\n  {}\n", checked.name, differences.join("\n  ")),
    });
    lines.collect()
}

/// Expectations about every kind of situation are met by the policy.
#[test]
fn expectations_that_hold_differ_in_nothing() {
    let text = r#"
tests:
  - name: commits are quick
    given: {message: "/commit it"}
    expect: {model: haiku, decided_by: CONFIGURED_RULES, rule: fast for commits}
  - name: the budget counts
    given: {message: hello, spent_today_usd: "5.42"}
    expect: {model: "anthropic:claude-haiku-4-5", rule: budget cap}
  - name: nights are cheap
    given: {message: hello, local_time: "23:30"}
    expect: {model: mini}
  - name: the shop has its own default
    given: {message: hello, workspace: /home/dev/shop/api}
    expect: {model: opus, decided_by: WORKSPACE_DEFAULT}
  - name: an outage falls back
    given: {message: "/commit it", models_out: [haiku]}
    expect: {model: sonnet, decided_by: GLOBAL_DEFAULT}
  - name: nobody left
    given: {message: hello, providers_out: [anthropic]}
    expect: {model: none}
  - name: what was set counts
    given: {message: "/commit it", sticky: opus, images: true, tokens: 90000, tool_history: true}
    expect: {model: OPUS, decided_by: MANUAL_STICKY}
  - name: learned
    given: {message: hello, learned: {model: opus, confidence_percent: 80, samples: 12}, skills: [x], extensions: [.RS]}
    expect: {model: opus, decided_by: PATTERN_RECOMMENDATION}
  - name: delegated
    given: {message: hello, delegated_tier: deep}
    expect: {model: opus, decided_by: DELEGATE_REQUEST}
  - name: nothing given
    expect: {model: sonnet}
"#;
    let checked = check(text);
    assert_eq!(checked.len(), 10);
    assert!(checked.iter().all(|checked| checked.differences.is_empty()), "{}", differences(text));
    assert!(checked.iter().all(|checked| checked.why.contains("Chain:")));
}

/// An expectation that is not met lists expected and actual values; unknown names and invalid values are differences,
/// too.
#[test]
fn what_differs_is_listed_with_what_was_expected_and_what_was_found() {
    let text = r#"
tests:
  - name: another model
    given: {message: "/commit it"}
    expect: {model: opus, decided_by: MANUAL_STICKY, rule: slow for commits}
  - name: no rule
    given: {message: hello}
    expect: {model: sonnet, rule: fast for commits}
  - name: refused
    given: {message: hello, providers_out: [anthropic]}
    expect: {model: sonnet, decided_by: GLOBAL_DEFAULT}
  - name: unknown models and policies
    given: {message: hello}
    expect: {model: sonet, decided_by: GUT_FEELING}
  - name: unknown tier
    given: {delegated_tier: cheap}
    expect: {model: haiku}
  - name: unknown model in the situation
    given: {sticky: sonet}
    expect: {model: sonnet}
  - name: unreadable time
    given: {local_time: "24:30"}
    expect: {model: sonnet}
  - name: unreadable money
    given: {spent_today_usd: "$5"}
    expect: {model: sonnet}
  - name: addressed to nobody
    given: {message: "@sonet hello"}
    expect: {model: sonnet}
"#;
    insta::assert_snapshot!(differences(text));
}

/// An invalid file of expectations is an error with its location, and so is one over 1 MiB; an empty list is valid.
#[test]
fn a_file_that_cannot_be_read_is_refused_with_the_place() {
    let refused = |text: &str| check_expectations("expectations.yaml", text, &policy()).unwrap_err().to_string();
    let texts = [
        "tests:\n  - name: one\n    given: {mesage: hello}\n    expect: {model: haiku}\n",
        "tests:\n  - name: one\n    expct: {model: haiku}\n",
        "tests:\n  - name: one\n    given: {message: hello}\n",
        "tests: {}\n",
        "tests: [\n",
        "",
    ];
    let errors: Vec<_> = texts.into_iter().map(refused).collect();
    insta::assert_snapshot!(errors.join("\n\n"));
    let large = format!("tests: []\n# {}", "x".repeat(1024 * 1024));
    assert!(refused(&large).contains("the most is 1048576"));
    assert_eq!(check("tests: []"), []);
}
