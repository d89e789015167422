//! The `usageMetadata` object of Gemini, which counts cached tokens as input and thinking apart from the output.

use serde_json::{Value as Json, json};

use crate::convert::canonical::tokens::Tokens;

/// Writes token counts as the `usageMetadata` object of Gemini. Cached tokens are part of the prompt count; thinking is
/// not part of the candidates count.
pub(super) fn write_usage(tokens: Tokens) -> Json {
    let prompt = tokens.usage.input_total();
    let thinking = tokens.thinking.min(tokens.usage.output);
    let mut usage = json!({
        "promptTokenCount": prompt,
        "candidatesTokenCount": tokens.usage.output - thinking,
        "totalTokenCount": prompt.saturating_add(tokens.usage.output),
    });
    if tokens.usage.cache_read > 0 {
        usage["cachedContentTokenCount"] = json!(tokens.usage.cache_read);
    }
    if thinking > 0 {
        usage["thoughtsTokenCount"] = json!(thinking);
    }
    usage
}
