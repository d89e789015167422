//! The `usage` object.

use contracts::Usage;
use serde_json::Value as Json;

use crate::{
    api::openai,
    convert::canonical::tokens::Tokens,
    json::Value,
    usage::{included, whole},
};

/// Converts a usage object to disjoint counts; `None` if it has no input.
pub(super) fn read(account: &Value<'_>) -> Option<Usage> {
    let [prompt, output, total, details, hits] = account.pick([
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "prompt_tokens_details",
        "prompt_cache_hit_tokens",
    ]);
    let prompt = prompt?.whole()?;
    // xAI's completion is what can be read; only its total has the reasoning too, which is charged like it.
    let output = whole(output).max(whole(total).saturating_sub(prompt));
    let [cached, written] = details.map_or([None; 2], |details| details.pick(["cached_tokens", "cache_write_tokens"]));
    // DeepSeek has a name of its own for them.
    Some(included(prompt, whole(cached.or(hits)), whole(written), output))
}

/// Writes token counts as a usage object.
pub(super) fn write(tokens: Tokens) -> Json {
    openai::usage::write(tokens, "prompt_tokens", "completion_tokens")
}
