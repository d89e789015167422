//! `@alias` at the start of a message: its model, the remaining text, and plain text (004 §9.2, decision D12).

use router_core::{OverrideError, parse_override};

use crate::support::{chosen, policy, registry};

/// Parses a message, and returns the selected model, or `-`, and the text that is sent; or the error.
fn read(message: &str) -> String {
    match parse_override(message, &registry()) {
        Ok(parsed) => {
            let model = parsed.override_model.as_ref().map_or("-", |chosen| chosen.model.model());
            format!("{model} | {}", parsed.text)
        }
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn an_alias_followed_by_text_is_an_override_and_is_removed() {
    assert_eq!(read("@haiku what's this?"), "claude-haiku-4-5 | what's this?");
    assert_eq!(read("@haiku\nwhat's\nthis?"), "claude-haiku-4-5 | what's\nthis?", "a newline counts");
    assert_eq!(read("@haiku\tx"), "claude-haiku-4-5 | x");
    assert_eq!(read("@haiku\r\n\r\n  x "), "claude-haiku-4-5 | x ", "all white space in between goes");
    assert_eq!(read("@haiku\u{a0}x"), "claude-haiku-4-5 | x", "white space is that of Unicode");
}

#[test]
fn aliases_and_full_ids_are_read_whatever_the_case() {
    assert_eq!(read("@HaIkU x"), "claude-haiku-4-5 | x");
    assert_eq!(read("@openai:gpt-5 x"), "gpt-5 | x");
    assert_eq!(read("@OpenAI:GPT-5-mini x"), "gpt-5-mini | x");
}

#[test]
fn the_alias_is_recorded_as_written() {
    let parsed = parse_override("@HaIkU x", &registry()).unwrap();
    assert_eq!(parsed.override_model.unwrap().alias, "HaIkU");
}

#[test]
fn a_backslash_before_the_override_makes_it_text_and_is_removed() {
    assert_eq!(read("\\@haiku x"), "- | @haiku x");
    assert_eq!(read("\\@nobody x"), "- | @nobody x");
    assert_eq!(read("\\@"), "- | @");
    assert_eq!(read("\\\\@haiku x"), "- | \\\\@haiku x", "only one directly before the @");
}

#[test]
fn an_at_sign_not_at_the_start_or_without_a_name_is_text() {
    for text in [
        " @haiku x",
        "\n@haiku x",
        "Email me @haiku tomorrow",
        "@ text",
        "@",
        "@\nx",
        "",
        "haiku x",
        "\u{feff}@haiku x",
    ] {
        assert_eq!(read(text), format!("- | {text}"));
    }
}

#[test]
fn an_alias_without_a_message_is_an_error() {
    for text in ["@haiku", "@haiku ", "@haiku\n\n\t"] {
        let empty = OverrideError::Empty { alias: "haiku".to_owned() };
        assert_eq!(parse_override(text, &registry()), Err(empty), "{text:?}");
    }
    insta::assert_snapshot!(read("@haiku"), @"error: `@haiku` is followed by no message");
}

#[test]
fn an_unknown_alias_is_an_error_with_similar_names() {
    insta::assert_snapshot!(["@haiko x", "@opis, x", "@openai:gpt-6 x", "@xyzzy x", "@nobody"].map(read).join("\n"));
}

#[test]
fn a_very_long_name_is_rejected_without_a_comparison() {
    let message = format!("@{} x", "haiku".repeat(100_000));
    assert!(
        matches!(parse_override(&message, &registry()), Err(OverrideError::Unknown { hint, .. }) if hint.is_empty())
    );
}

#[test]
fn rules_see_the_message_without_the_token() {
    let policy = policy("rules: [{when: {message_matches: \"^/commit\"}, use: sonnet}]\nglobal_default: opus");
    let scenario = router_core::Scenario::message("@mini /commit this").model_out("mini");
    assert_eq!(chosen(&scenario, &policy), "CONFIGURED_RULES claude-sonnet-4-6");
    let escaped = router_core::Scenario::message("\\@mini /commit this");
    assert_eq!(chosen(&escaped, &policy), "GLOBAL_DEFAULT claude-opus-4-7");
}
