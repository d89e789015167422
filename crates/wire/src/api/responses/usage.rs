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
    let [input, output, details] = account.pick(["input_tokens", "output_tokens", "input_tokens_details"]);
    let input = input?.whole()?;
    let [cached, written] = details.map_or([None; 2], |details| details.pick(["cached_tokens", "cache_write_tokens"]));
    Some(included(input, whole(cached), whole(written), whole(output)))
}

/// Writes token counts as a usage object.
pub(super) fn write(tokens: Tokens) -> Json {
    openai::usage::write(tokens, "input_tokens", "output_tokens")
}
