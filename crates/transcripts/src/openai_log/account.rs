//! Usage as the chat completions account for it, in disjoint buckets.

use contracts::Usage;
use serde::Deserialize;

/// The longest account that is kept as it is, in bytes.
const MAX_RAW_BYTES: usize = 1024;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Account {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

/// Reads an account; `None` when it is not one, or of nothing.
pub(super) fn read(raw: &str) -> Option<Usage> {
    let account: Account = serde_json::from_str(raw).ok()?;
    let (prompt, output) = (account.prompt_tokens?, account.completion_tokens.unwrap_or(0));
    let details = account.prompt_tokens_details.unwrap_or_default();
    let cache_read = details.cached_tokens.unwrap_or(0).min(prompt);
    let cache_write_5m = details.cache_write_tokens.unwrap_or(0).min(prompt - cache_read);
    let input = prompt - cache_read - cache_write_5m;
    Some(Usage { input, cache_read, cache_write_5m, cache_write_1h: 0, output })
}

/// The account as text, if it is short enough to keep.
pub(super) fn keep(raw: &str) -> Option<String> {
    (raw.len() <= MAX_RAW_BYTES).then(|| raw.to_owned())
}

#[cfg(test)]
mod tests {
    use contracts::Usage;

    use super::read;

    #[test]
    fn cached_tokens_are_part_of_the_prompt() {
        let raw = r#"{"prompt_tokens":1200,"completion_tokens":40,"total_tokens":1240,
            "prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0}}"#;
        assert_eq!(read(raw), Some(Usage { input: 176, cache_read: 1_024, output: 40, ..Usage::default() }));
        let plain = r#"{"prompt_tokens":5,"completion_tokens":null,"prompt_tokens_details":null}"#;
        assert_eq!(read(plain), Some(Usage { input: 5, ..Usage::default() }));
        for nothing in ["{}", "null", "7", r#"{"prompt_tokens":-1}"#] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }
}
