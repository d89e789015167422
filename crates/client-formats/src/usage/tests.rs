//! The conversion of the providers' usage objects to disjoint counts.

use contracts::Usage;

use super::{parse_anthropic, parse_chat, parse_gemini, parse_responses};

#[test]
fn anthropic_input_counts_exclude_cached_tokens() {
    let split = r#"{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":900,
        "cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":400},"output_tokens":7}"#;
    let expected = Usage { input: 3, cache_read: 100, cache_write_5m: 500, cache_write_1h: 400, output: 7 };
    assert_eq!(parse_anthropic(split), Some(expected));
    for nothing in ["{}", "7", "\"none\"", r#"{"input_tokens":"3"}"#] {
        assert_eq!(parse_anthropic(nothing), None, "{nothing}");
    }
}

#[test]
fn cache_writes_without_a_lifetime_count_as_five_minutes() {
    let check = |json: &str, cache_write_5m, cache_write_1h| {
        assert_eq!(parse_anthropic(json), Some(Usage { cache_write_5m, cache_write_1h, ..Usage::default() }), "{json}");
    };
    check(r#"{"cache_creation_input_tokens":900}"#, 900, 0);
    let hour = r#""cache_creation":{"ephemeral_1h_input_tokens":900,"ephemeral_5m_input_tokens":0}"#;
    check(&format!(r#"{{"cache_creation_input_tokens":900,{hour}}}"#), 0, 900);
    check(r#"{"cache_creation_input_tokens":900,"cache_creation":{"ephemeral_1h_input_tokens":400}}"#, 500, 400);
    check(r#"{"cache_creation":{"ephemeral_5m_input_tokens":7}}"#, 7, 0);
}

#[test]
fn openai_and_google_input_counts_include_cached_tokens() {
    let expected = Usage { input: 176, cache_read: 1_024, output: 40, ..Usage::default() };
    let openai = r#"{"prompt_tokens":1200,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0}}"#;
    assert_eq!(parse_chat(openai), Some(expected));
    let deepseek = r#"{"prompt_tokens":1200,"completion_tokens":40,"prompt_cache_hit_tokens":1024}"#;
    assert_eq!(parse_chat(deepseek), Some(expected));
    let in_responses = r#"{"input_tokens":1200,"output_tokens":40,"input_tokens_details":{"cached_tokens":1024},
        "output_tokens_details":{"reasoning_tokens":30}}"#;
    assert_eq!(parse_responses(in_responses), Some(expected));
    let google = r#"{"promptTokenCount":1000,"toolUsePromptTokenCount":200,"cachedContentTokenCount":1024,
        "candidatesTokenCount":10,"thoughtsTokenCount":30,"totalTokenCount":1240}"#;
    assert_eq!(parse_gemini(google), Some(expected));
}

#[test]
fn reasoning_that_only_the_total_includes_is_output() {
    let check = |total: &str, output| {
        let json = format!(r#"{{"prompt_tokens":100,"completion_tokens":40{total}}}"#);
        assert_eq!(parse_chat(&json), Some(Usage { input: 100, output, ..Usage::default() }), "{json}");
    };
    check(r#","total_tokens":400,"completion_tokens_details":{"reasoning_tokens":260}"#, 300);
    check(r#","total_tokens":140,"completion_tokens_details":{"reasoning_tokens":30}"#, 40);
    check("", 40);
    check(r#","total_tokens":0"#, 40);
    check(r#","total_tokens":null"#, 40);
}

/// Cache counts are limited to the input, and counts of another type count as missing.
#[test]
fn counts_that_do_not_fit_are_cut_and_counts_of_another_type_are_missing() {
    let too_many = r#"{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":9,"cache_write_tokens":9}}"#;
    assert_eq!(parse_chat(too_many), Some(Usage { cache_read: 5, ..Usage::default() }));
    let others =
        r#"{"prompt_tokens":5,"completion_tokens":[1,{}],"total_tokens":{"a":1},"prompt_tokens_details":null}"#;
    assert_eq!(parse_chat(others), Some(Usage { input: 5, ..Usage::default() }));
    for nothing in ["{}", "null", "7", r#"{"prompt_tokens":-1}"#, "["] {
        assert_eq!(parse_chat(nothing), None, "{nothing}");
    }
}
