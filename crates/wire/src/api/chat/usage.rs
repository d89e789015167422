//! Writes the `usage` object of chat completions.

use serde_json::Value as Json;

use crate::{api::openai, convert::canonical::tokens::Tokens};

/// Writes token counts as the `usage` object of chat completions: `prompt_tokens`, `completion_tokens` and their
/// details.
pub(super) fn write_usage(tokens: Tokens) -> Json {
    openai::usage::write_usage(tokens, "prompt_tokens", "completion_tokens")
}
