//! Usage as the provider accounts for it, in disjoint buckets.

use contracts::Usage;
use serde::Deserialize;

/// The longest account that is kept as it is, in bytes.
const MAX_RAW_BYTES: usize = 1024;

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_creation: Option<CacheCreation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CacheCreation {
    ephemeral_5m_input_tokens: Option<u64>,
    ephemeral_1h_input_tokens: Option<u64>,
}

/// Reads an account; `None` when it is not one.
pub(super) fn read(raw: &str) -> Option<Usage> {
    let raw: RawUsage = serde_json::from_str(raw).ok()?;
    let split = raw.cache_creation.unwrap_or_default();
    let hour = split.ephemeral_1h_input_tokens.unwrap_or(0);
    let minutes = split.ephemeral_5m_input_tokens.unwrap_or(0);
    // What the total has beyond the split was written for five minutes, the provider's default.
    let total = raw.cache_creation_input_tokens.unwrap_or(0);
    Some(Usage {
        input: raw.input_tokens.unwrap_or(0),
        cache_read: raw.cache_read_input_tokens.unwrap_or(0),
        cache_write_5m: minutes.max(total.saturating_sub(hour)),
        cache_write_1h: hour,
        output: raw.output_tokens.unwrap_or(0),
    })
}

/// The account as text, if it is short enough to keep.
pub(super) fn keep(raw: &str) -> Option<String> {
    (raw.len() <= MAX_RAW_BYTES).then(|| raw.to_owned())
}

/// The larger number of each bucket.
pub(super) fn largest(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.max(other.input),
        cache_read: one.cache_read.max(other.cache_read),
        cache_write_5m: one.cache_write_5m.max(other.cache_write_5m),
        cache_write_1h: one.cache_write_1h.max(other.cache_write_1h),
        output: one.output.max(other.output),
    }
}

#[cfg(test)]
mod tests {
    use contracts::Usage;

    use super::read;

    #[test]
    fn cache_writes_without_a_split_are_written_for_five_minutes() {
        let check = |raw: &str, cache_write_5m, cache_write_1h| {
            assert_eq!(read(raw), Some(Usage { cache_write_5m, cache_write_1h, ..Usage::default() }), "{raw}");
        };
        check(r#"{"cache_creation_input_tokens":900}"#, 900, 0);
        let hour = r#""cache_creation":{"ephemeral_1h_input_tokens":900,"ephemeral_5m_input_tokens":0}"#;
        check(&format!(r#"{{"cache_creation_input_tokens":900,{hour}}}"#), 0, 900);
        check(r#"{"cache_creation_input_tokens":900,"cache_creation":{"ephemeral_1h_input_tokens":400}}"#, 500, 400);
        check(r#"{"cache_creation":{"ephemeral_5m_input_tokens":7}}"#, 7, 0);
        assert_eq!(read("\"none\""), None);
    }
}
