//! Rules that an earlier rule shadows are reported, not rejected (004 §8.12).

use router_core::warnings;

use crate::support::policy;

#[test]
fn a_rule_below_one_that_always_matches_or_has_the_same_condition_is_a_warning() {
    let text = r#"
global_default: sonnet
rules:
  - {name: "deep", when: {message_matches: architecture}, use: opus}
  - {name: "deep, second choice", when: {message_matches: architecture}, use: sonnet}
  - {name: "same texts", when: {message_contains_any: [a, b]}, use: sonnet}
  - {name: "other texts", when: {message_contains_any: [b, a]}, use: sonnet}
  - {name: "same texts again", when: {message_contains_any: [A, B]}, use: haiku}
  - {name: "everything", when: {}, use: haiku}
  - {name: "never reached but by fallback", when: {has_images: true}, use: opus}
workspaces:
  /shop: {rules: [{name: "in its own scope", when: {message_matches: architecture}, use: opus}]}
"#;
    let found: Vec<_> = warnings(&policy(text), None).iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn rules_that_differ_have_no_warning() {
    let text = "
global_default: sonnet
rules:
  - {when: {message_matches: architecture}, use: opus}
  - {when: {workspace_path_matches: architecture}, use: opus}
  - {when: {message_contains_any: architecture}, use: opus}
";
    assert!(warnings(&policy(text), None).is_empty());
}
