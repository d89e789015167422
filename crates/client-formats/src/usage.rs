//! Converts the providers' usage objects (the token counts of a call) to [`Usage`], whose counts are disjoint.
//!
//! The input counts of `OpenAI` and Google include cache reads and writes, those of Anthropic do not. Google counts
//! thinking separately from the output. Cache writes without a lifetime count as five minutes. A count that is not a
//! non-negative integer counts as missing.

use contracts::Usage;
use serde::Deserialize;

mod count;

use count::TokenCount;

/// The maximum length in bytes of a usage object that is recorded.
pub const MAX_RAW_BYTES: usize = 1024;

/// Returns the text of a usage object to record in the log, unchanged. `None` if it is longer than [`MAX_RAW_BYTES`],
/// so that it is not recorded.
pub fn recordable_usage_text(raw: &str) -> Option<String> {
    (raw.len() <= MAX_RAW_BYTES).then(|| raw.to_owned())
}

/// Splits an input count `total` that includes cached tokens into disjoint counts. `cache_read` and `cache_written` are
/// reduced if their sum exceeds `total`; writes count as five minutes. All counts are in tokens.
pub fn usage_from_total_input(total: u64, cache_read: u64, cache_written: u64, output: u64) -> Usage {
    let cache_read = cache_read.min(total);
    let cache_write_5m = cache_written.min(total - cache_read);
    Usage { input: total - cache_read - cache_write_5m, cache_read, cache_write_5m, cache_write_1h: 0, output }
}

/// Parses a usage object of Anthropic's Messages API, given as JSON text. `None` if it is invalid or has no counts; if
/// only some counts are missing, these are 0.
pub fn parse_anthropic(json: &str) -> Option<Usage> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Object {
        input_tokens: TokenCount,
        output_tokens: TokenCount,
        cache_read_input_tokens: TokenCount,
        cache_creation_input_tokens: TokenCount,
        cache_creation: Option<CacheCreation>,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct CacheCreation {
        ephemeral_5m_input_tokens: TokenCount,
        ephemeral_1h_input_tokens: TokenCount,
    }
    let object: Object = serde_json::from_str(json).ok()?;
    let counts = [object.input_tokens, object.output_tokens, object.cache_read_input_tokens];
    let has_writes = object.cache_creation.is_some() || object.cache_creation_input_tokens.0.is_some();
    if !has_writes && counts.iter().all(|count| count.0.is_none()) {
        return None;
    }
    let cache_writes = object.cache_creation.unwrap_or_default();
    let cache_write_1h = cache_writes.ephemeral_1h_input_tokens.or_zero();
    // Tokens of the total that are not in the split were written for five minutes, the provider's default.
    let unsplit = object.cache_creation_input_tokens.or_zero().saturating_sub(cache_write_1h);
    Some(Usage {
        input: object.input_tokens.or_zero(),
        cache_read: object.cache_read_input_tokens.or_zero(),
        cache_write_5m: cache_writes.ephemeral_5m_input_tokens.or_zero().max(unsplit),
        cache_write_1h,
        output: object.output_tokens.or_zero(),
    })
}

/// The breakdown of an input count in the usage objects of `OpenAI`'s APIs. `OpenRouter` adds cache writes to it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct InputDetails {
    /// The number of tokens read from the cache.
    cached_tokens: TokenCount,
    /// The number of tokens written to the cache.
    cache_write_tokens: TokenCount,
}

/// Parses a usage object of `OpenAI`'s chat completions API, given as JSON text. `None` if it is invalid or has no
/// prompt count.
///
/// The output is at least the total minus the prompt, because some providers exclude reasoning from their output count.
pub fn parse_chat(json: &str) -> Option<Usage> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Object {
        prompt_tokens: TokenCount,
        completion_tokens: TokenCount,
        total_tokens: TokenCount,
        prompt_tokens_details: Option<InputDetails>,
        /// `DeepSeek`'s name for cached tokens.
        prompt_cache_hit_tokens: TokenCount,
    }
    let object: Object = serde_json::from_str(json).ok()?;
    let prompt = object.prompt_tokens.0?;
    // xAI's completion count excludes reasoning, which only the total includes and which is billed as output.
    let output = object.completion_tokens.or_zero().max(object.total_tokens.or_zero().saturating_sub(prompt));
    let details = object.prompt_tokens_details.unwrap_or_default();
    let cache_read = details.cached_tokens.0.unwrap_or(object.prompt_cache_hit_tokens.or_zero());
    Some(usage_from_total_input(prompt, cache_read, details.cache_write_tokens.or_zero(), output))
}

/// Parses a usage object of `OpenAI`'s Responses API, given as JSON text. `None` if it is invalid or has no input
/// count.
pub fn parse_responses(json: &str) -> Option<Usage> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Object {
        input_tokens: TokenCount,
        output_tokens: TokenCount,
        input_tokens_details: Option<InputDetails>,
    }
    let object: Object = serde_json::from_str(json).ok()?;
    let input = object.input_tokens.0?;
    let details = object.input_tokens_details.unwrap_or_default();
    let (cache_read, cache_written) = (details.cached_tokens.or_zero(), details.cache_write_tokens.or_zero());
    Some(usage_from_total_input(input, cache_read, cache_written, object.output_tokens.or_zero()))
}

/// Parses a `usageMetadata` object of Gemini, given as JSON text. `None` if it is invalid or has no prompt count. The
/// input includes the prompts of Google's own tools, the output includes thinking.
pub fn parse_gemini(json: &str) -> Option<Usage> {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Object {
        #[serde(rename = "promptTokenCount")]
        prompt: TokenCount,
        #[serde(rename = "cachedContentTokenCount")]
        cached: TokenCount,
        #[serde(rename = "toolUsePromptTokenCount")]
        tool_use_prompt: TokenCount,
        #[serde(rename = "candidatesTokenCount")]
        candidates: TokenCount,
        #[serde(rename = "thoughtsTokenCount")]
        thoughts: TokenCount,
    }
    let object: Object = serde_json::from_str(json).ok()?;
    let input = object.prompt.0?.saturating_add(object.tool_use_prompt.or_zero());
    let output = object.candidates.or_zero().saturating_add(object.thoughts.or_zero());
    Some(usage_from_total_input(input, object.cached.or_zero(), 0, output))
}

#[cfg(test)]
mod tests;
