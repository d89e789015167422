//! Rules that an earlier rule shadows are reported, not rejected (004 §8.12).

use router_core::notes;

use crate::support::policy;

#[test]
fn a_rule_below_one_that_always_matches_or_has_the_same_condition_is_noted() {
    let text = r#"
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
    let notes: Vec<_> = notes(&policy(text)).iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(notes.join("\n"));
}

#[test]
fn rules_that_differ_are_not_noted() {
    let text = "
rules:
  - {when: {message_matches: architecture}, use: opus}
  - {when: {workspace_path_matches: architecture}, use: opus}
  - {when: {message_contains_any: architecture}, use: opus}
";
    assert!(notes(&policy(text)).is_empty());
}
