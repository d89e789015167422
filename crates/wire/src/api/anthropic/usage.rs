//! The `usage` object of Anthropic's Messages, which counts the cache apart from the input.

use contracts::Usage;
use serde_json::{Value as Json, json};

use crate::{convert::canonical::tokens::Tokens, json::Value, usage::whole};

/// Converts a usage object to disjoint counts; `None` if it has neither input nor output.
pub(super) fn read(account: &Value<'_>) -> Option<Usage> {
    let [input, output, read, written, split] = account.pick([
        "input_tokens",
        "output_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation",
    ]);
    if [input, output].iter().flatten().all(|number| number.whole().is_none()) {
        return None;
    }
    let names = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"];
    let [minutes, hour] = split.map_or([0; 2], |split| split.pick(names).map(whole));
    Some(Usage {
        input: whole(input),
        cache_read: whole(read),
        // What the total has beyond the split was written for five minutes, the provider's default.
        cache_write_5m: minutes.max(whole(written).saturating_sub(hour)),
        cache_write_1h: hour,
        output: whole(output),
    })
}

/// Writes token counts as a usage object.
pub(super) fn write(tokens: Tokens) -> Json {
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
