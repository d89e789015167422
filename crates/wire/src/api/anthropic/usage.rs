//! The `usage` object of Anthropic's Messages, which counts the cache apart from the input.

use contracts::Usage;
use serde_json::{Value as Json, json};

use crate::convert::canonical::tokens::Tokens;

/// Writes token counts as the `usage` object of Messages. Tokens read from the cache or written to it are not part of
/// the input count.
pub(super) fn write_usage(tokens: Tokens) -> Json {
    let Usage { input, cache_read, cache_write_5m, cache_write_1h, output } = tokens.usage;
    json!({
        "input_tokens": input,
        "cache_creation_input_tokens": cache_write_5m.saturating_add(cache_write_1h),
        "cache_read_input_tokens": cache_read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": cache_write_5m,
            "ephemeral_1h_input_tokens": cache_write_1h,
        },
        "output_tokens": output,
    })
}
