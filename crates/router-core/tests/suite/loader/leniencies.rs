//! Policies that are accepted although a stricter parser would reject them (decision D8).

use contracts::ModelId;
use router_core::{OnExplicitReject, Policy, Scenario};

use crate::support::{chosen, load_over, policy, registry};

/// Returns the only condition of a policy, as `rules show` prints it.
#[track_caller]
fn condition(when: &str) -> String {
    policy(&format!("rules:\n  - use: opus\n    when: {when}\n")).rules().next().unwrap().when
}

#[test]
fn an_empty_condition_always_holds() {
    assert_eq!(condition("{}"), "always");
    assert_eq!(
        chosen(&Scenario::message(""), &policy("rules: [{when: {}, use: opus}]")),
        "CONFIGURED_RULES claude-opus-4-7"
    );
}

#[test]
fn a_single_text_is_parsed_as_a_list_of_one() {
    for key in ["message_contains_any", "skills_matching_message_includes", "file_extensions_in_context"] {
        assert_eq!(condition(&format!("{{{key}: design}}")), condition(&format!("{{{key}: [design]}}")));
        assert_eq!(
            condition(&format!("{{{key}: design}}")),
            condition(&format!("\n      {key}:\n        - \"design\"\n"))
        );
    }
}

#[test]
fn times_may_be_quoted_and_have_one_or_two_digits() {
    let expected = "local time 22:00–06:05";
    for window in ["[22:00, 06:05]", "[\"22:00\", \"06:05\"]", "['22:00', 6:05]", "\n        - 22:00\n        - 6:05"] {
        assert_eq!(condition(&format!("\n      time_of_day_between: {window}")), expected);
    }
}

#[test]
fn aliases_in_any_case_are_resolved_when_a_policy_is_loaded() {
    let text = "
global_default: Haiku
tiers: {fast: MINI, balanced: sonnet, deep: Anthropic:Claude-Opus-4-7}
rules: [{when: {}, use: OPUS}]
workspaces: {/shop: {default: gpt, tiers: {fast: mini, balanced: gpt, deep: gpt}}}
";
    let policy = policy(text);
    assert_eq!(policy.global_default().map(ModelId::as_str), Some("anthropic:claude-haiku-4-5"));
    assert_eq!(policy.rules().next().unwrap().models[0].as_str(), "anthropic:claude-opus-4-7");
}

#[test]
fn an_empty_file_and_a_file_of_comments_are_empty_policies() {
    let many_comments = "# a line\n".repeat(5_000);
    for text in ["", "\n\n", "# nothing yet\n", "---\n", "---\n...\n", "~", "null\n", "{}", many_comments.as_str()] {
        let policy = policy(text);
        assert_eq!((policy.rules().count(), policy.global_default()), (0, None), "{text:?}");
    }
}

#[test]
fn a_byte_order_mark_and_the_line_ends_of_windows_are_accepted() {
    let policy = policy("\u{feff}global_default: haiku\r\nrules:\r\n  - when: {}\r\n    use: opus\r\n");
    assert_eq!(policy.rules().count(), 1);
}

#[test]
fn rules_of_two_scopes_may_have_the_same_name() {
    let text = "
rules: [{name: same, when: {}, use: opus}]
workspaces: {/a: {rules: [{name: same, when: {}, use: opus}]}, /b: {rules: [{name: same, when: {}, use: opus}]}}
";
    assert_eq!(policy(text).rules().count(), 3);
}

/// Unquoted words that other parsers read as numbers or booleans are texts.
#[test]
fn texts_such_as_infinity_are_not_numbers() {
    assert_eq!(
        condition("{message_contains_any: [nan, infinity, 1.2.3, yes]}"),
        "message contains any of nan, infinity, 1.2.3, yes"
    );
}

#[test]
fn numbers_at_the_ends_of_their_ranges_are_accepted() {
    policy("pattern: {cost_weight: 0, min_confidence: 1, min_sample_size: 1, min_similarity: 1.000000000}");
    policy("rules: [{when: {estimated_input_tokens_gt: 0, cost_today_exceeds_usd: 0.000000001}, use: opus}]");
    policy("rules: [{when: {estimated_input_tokens_lt: 18446744073709551615}, use: opus}]");
}

#[test]
fn a_home_directory_is_required_only_for_paths_with_a_tilde() {
    assert!(Policy::load("workspaces: {/shop: {default: opus}}", registry(), None).is_ok());
    let problems = Policy::load("workspaces: {~/shop: {default: opus}}", registry(), None).unwrap_err();
    assert_eq!((problems[0].line, problems[0].column), (1, 14));
    assert!(load_over("workspaces: {~: {default: opus}}", registry()).is_ok());
}

#[test]
fn omitted_keys_have_their_defaults() {
    let disagreement = *policy("").disagreement();
    assert_eq!(disagreement, router_core::DisagreementSettings::default());
    assert_eq!(OnExplicitReject::default(), OnExplicitReject::FallThrough);
}

#[test]
fn an_optional_key_without_a_value_is_as_if_it_were_missing() {
    let nulls = "global_default: opus\ntiers:\npattern: null\ngateway: ~\nrules:\n  - {name: null, when: {}, use: haiku}\nworkspaces:\n  /w: {default: null, rules: }\nbudgets:\n";
    let policy = policy(nulls);
    assert_eq!(policy.rules().next().unwrap().name, "rule_0");
    assert_eq!(policy.global_default().map(ModelId::as_str), Some("anthropic:claude-opus-4-7"));
    for rejected in [
        "rules: [{when: , use: opus}]",
        "rules: [{when: {}, use: null}]",
        "rules: [{when: {message_matches: }, use: opus}]",
        "tiers: {fast: , balanced: opus, deep: opus}",
    ] {
        assert!(crate::support::load_over(rejected, crate::support::registry()).is_err(), "{rejected}");
    }
}

#[test]
fn numbers_in_every_yaml_notation_are_accepted() {
    let text =
        "pattern: {cost_weight: .5, min_confidence: 5e-2}\nrules: [{when: {cost_today_exceeds_usd: 1e1}, use: opus}]";
    let policy = policy(text);
    let settings = policy.pattern_settings(None);
    assert_eq!((settings.cost_weight.0, settings.min_confidence.0), (500_000_000, 50_000_000));
    assert_eq!(policy.budgets()[0].0, 10_000_000_000);
}

#[test]
fn the_default_name_of_a_rule_differs_from_the_given_names() {
    let policy = policy("rules: [{name: rule_1, when: {}, use: opus}, {when: {}, use: haiku}, {when: {}, use: haiku}]");
    let names: Vec<_> = policy.rules().map(|rule| rule.name).collect();
    assert_eq!(names, ["rule_1", "rule_1_2", "rule_2"]);
}
