//! The limits of a policy, and policies at each limit.

use std::fmt::Write as _;

use super::problems;
use crate::support::policy;

/// Returns a policy of `count` rules; `when` returns the condition of each.
fn rules(count: usize, when: impl Fn(usize) -> String) -> String {
    (0..count).fold("rules:\n".to_owned(), |mut text, index| {
        let _ = writeln!(text, "  - {{when: {{{}}}, use: opus}}", when(index));
        text
    })
}

/// Returns a policy with a condition that is nested so that the file has this many levels, at least 3.
fn nested(levels: usize) -> String {
    // The list of rules, the rule and its condition are the first three levels of the file.
    let (open, close) = ("{not: ".repeat(levels - 3), "}".repeat(levels - 3));
    format!("rules: [{{when: {open}{{}}{close}, use: opus}}]\n")
}

#[test]
fn at_most_two_thousand_rules_are_accepted() {
    assert_eq!(policy(&rules(2_000, |_| "has_images: true".to_owned())).rules().count(), 2_000);
    let text = rules(2_001, |_| "has_images: true".to_owned());
    insta::assert_snapshot!(problems(&text), @"line 2, column 3: a policy has at most 2000 rules, this one 2001");
}

#[test]
fn the_rules_of_workspaces_count_as_well() {
    let own = "workspaces: {/shop: {rules: [{when: {}, use: opus}]}}\n";
    let text = format!("{own}{}", rules(2_000, |_| String::new()));
    insta::assert_snapshot!(problems(&text), @"line 3, column 3: a policy has at most 2000 rules, this one 2001");
}

#[test]
fn at_most_four_thousand_text_predicates_are_accepted() {
    let three = |index| {
        let [one, two, three] = ["a", "b", "c"].map(|text| format!("{{message_contains_any: {text}{index}}}"));
        format!("any_of: [{one}, {two}, {three}]")
    };
    assert_eq!(policy(&rules(1_333, three)).rules().count(), 1_333);
    let text = rules(1_334, three);
    insta::assert_snapshot!(problems(&text), @r"
    line 1335, column 76: a policy has at most 4000 conditions on the message
    line 1335, column 107: a policy has at most 4000 conditions on the message
    ");
}

#[test]
fn equal_conditions_are_stored_once() {
    let same = "any_of: [{message_matches: aa}, {message_matches: bb}, {message_contains_any: aa}]";
    assert_eq!(policy(&rules(2_000, |_| same.to_owned())).rules().count(), 2_000);
}

#[test]
fn a_file_of_at_most_256_kib_is_accepted() {
    let padded = |bytes: usize| format!("global_default: opus\n#{}\n", "x".repeat(bytes - 23));
    assert_eq!(padded(1_000).len(), 1_000);
    policy(&padded(256 * 1024));
    insta::assert_snapshot!(problems(&padded(256 * 1024 + 1)), @"line 1, column 1: the file has 262145 bytes, the most is 262144");
}

#[test]
fn at_most_thirty_two_levels_are_accepted() {
    policy(&nested(32));
    insta::assert_snapshot!(problems(&nested(33)), @"line 1, column 191: nested too deeply: the most is 32 levels");
}

#[test]
fn deep_nesting_is_rejected_without_a_stack_overflow() {
    for text in ["[".repeat(100_000), "{a: ".repeat(60_000), "- ".repeat(100_000), "? ".repeat(100_000), nested(20_000)]
    {
        assert_eq!(problems(&text).lines().count(), 1);
    }
}

#[test]
fn names_of_120_bytes_and_patterns_of_512_are_accepted() {
    policy(&format!(
        "rules: [{{name: {}, when: {{message_matches: {}}}, use: opus}}]",
        "n".repeat(120),
        "x".repeat(512)
    ));
}
