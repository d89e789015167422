//! Usage as each API accounts for it, in disjoint buckets.

use contracts::{Usage, WireApi};

use crate::json::{Cursor, Kind, Value};

/// What a provider's own account, as JSON, says in disjoint buckets; `None` when it is not one, or of nothing.
///
/// In `OpenAI`'s and Google's accounts the input includes what was read from the cache, in Anthropic's it does not.
/// Google counts thinking apart from the output. Cache writes of which nobody says how long they last count as
/// five minutes.
pub fn usage(api: WireApi, account: &str) -> Option<Usage> {
    let account = Cursor::new(account).value().ok().filter(|account| account.kind == Kind::Object)?;
    crate::api::of(api).usage(&account)
}

/// Returns a count; 0 if it is missing or no whole number.
pub(crate) fn whole(value: Option<Value<'_>>) -> u64 {
    value.and_then(|value| value.whole()).unwrap_or(0)
}

/// Cached tokens, read or written, that are part of the input.
pub(crate) fn included(total: u64, read: u64, written: u64, output: u64) -> Usage {
    let cache_read = read.min(total);
    let cache_write_5m = written.min(total - cache_read);
    Usage { input: total - cache_read - cache_write_5m, cache_read, cache_write_5m, cache_write_1h: 0, output }
}

/// Two of Anthropic's accounts of one call as one: what the later one says counts.
pub(crate) fn superseded(earlier: &str, later: &str) -> String {
    let parse = |account: &str| serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(account);
    let (Ok(mut account), Ok(later)) = (parse(earlier), parse(later)) else { return later.to_owned() };
    account.extend(later.into_iter().filter(|(_, value)| !value.is_null()));
    serde_json::Value::from(account).to_string()
}

#[cfg(test)]
mod tests {
    use contracts::{Usage, WireApi};

    use super::{superseded, usage};

    #[test]
    fn anthropic_counts_the_cache_apart() {
        let check = |raw: &str, expected| assert_eq!(usage(WireApi::AnthropicMessages, raw), expected, "{raw}");
        let split = r#"{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":900,
            "cache_creation":{"ephemeral_5m_input_tokens":500,"ephemeral_1h_input_tokens":400},"output_tokens":7}"#;
        let expected = Usage { input: 3, cache_read: 100, cache_write_5m: 500, cache_write_1h: 400, output: 7 };
        check(split, Some(expected));
        let plain = r#"{"input_tokens":1,"cache_creation_input_tokens":9,"output_tokens":0}"#;
        check(plain, Some(Usage { input: 1, cache_write_5m: 9, ..Usage::default() }));
        check("{}", None);
        check("7", None);
    }

    #[test]
    fn cached_tokens_of_openai_and_google_are_part_of_the_input() {
        let chat = r#"{"prompt_tokens":1200,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":1024}}"#;
        let expected = Usage { input: 176, cache_read: 1_024, output: 40, ..Usage::default() };
        assert_eq!(usage(WireApi::OpenAiChat, chat), Some(expected));
        let deepseek = r#"{"prompt_tokens":1200,"completion_tokens":40,"prompt_cache_hit_tokens":1024}"#;
        assert_eq!(usage(WireApi::OpenAiChat, deepseek), Some(expected));
        let responses = r#"{"input_tokens":1200,"output_tokens":40,"input_tokens_details":{"cached_tokens":1024},
            "output_tokens_details":{"reasoning_tokens":30}}"#;
        assert_eq!(usage(WireApi::OpenAiResponses, responses), Some(expected));
        let gemini = r#"{"promptTokenCount":1000,"toolUsePromptTokenCount":200,"cachedContentTokenCount":1024,
            "candidatesTokenCount":10,"thoughtsTokenCount":30,"totalTokenCount":1240}"#;
        assert_eq!(usage(WireApi::Gemini, gemini), Some(expected));
    }

    #[test]
    fn reasoning_that_only_the_total_of_chat_completions_has_is_output() {
        let check = |total: &str, output| {
            let account = format!(r#"{{"prompt_tokens":100,"completion_tokens":40{total}}}"#);
            let expected = Usage { input: 100, output, ..Usage::default() };
            assert_eq!(usage(WireApi::OpenAiChat, &account), Some(expected), "{account}");
        };
        check(r#","total_tokens":400,"completion_tokens_details":{"reasoning_tokens":260}"#, 300);
        check(r#","total_tokens":140,"completion_tokens_details":{"reasoning_tokens":30}"#, 40);
        check("", 40);
        check(r#","total_tokens":0"#, 40);
        check(r#","total_tokens":null"#, 40);
    }

    #[test]
    fn numbers_that_do_not_add_up_are_never_more_than_the_input() {
        let odd = r#"{"prompt_tokens":5,"prompt_tokens_details":{"cached_tokens":9,"cache_write_tokens":9}}"#;
        assert_eq!(usage(WireApi::OpenAiChat, odd), Some(Usage { cache_read: 5, ..Usage::default() }));
        for nothing in ["{}", "null", r#"{"prompt_tokens":-1}"#, "["] {
            assert_eq!(usage(WireApi::OpenAiChat, nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_later_account_supersedes_field_by_field() {
        let merged =
            superseded(r#"{"input_tokens":3,"output_tokens":1}"#, r#"{"output_tokens":9,"input_tokens":null}"#);
        assert_eq!(merged, r#"{"input_tokens":3,"output_tokens":9}"#);
    }
}
