//! The `usage` objects of `OpenAI`'s two APIs, which count cached tokens as input.

use contracts::Usage;
use serde_json::{Value as Json, json};

use crate::convert::canonical::tokens::Tokens;

/// Writes token counts as a usage object of `OpenAI`'s APIs. `input` and `output` are the names of the two counts,
/// which differ between the APIs. The input count includes tokens read from the cache or written to it, the output
/// count includes thinking.
///
/// Cache writes have no field in `OpenAI`'s APIs and are reported under `OpenRouter`'s name `cache_write_tokens`, if
/// there are any.
pub(in crate::api) fn write_usage(tokens: Tokens, input: &str, output: &str) -> Json {
    let Usage { cache_write_5m, cache_write_1h, .. } = tokens.usage;
    let total = tokens.usage.input_total().saturating_add(tokens.usage.output);
    let mut details = json!({"cached_tokens": tokens.usage.cache_read});
    let cache_writes = cache_write_5m.saturating_add(cache_write_1h);
    if cache_writes > 0 {
        details["cache_write_tokens"] = json!(cache_writes);
    }
    json!({
        (input): tokens.usage.input_total(),
        (format!("{input}_details")): details,
        (output): tokens.usage.output,
        (format!("{output}_details")): {"reasoning_tokens": tokens.thinking},
        "total_tokens": total,
    })
}
