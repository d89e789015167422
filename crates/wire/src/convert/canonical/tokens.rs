//! The token counts of a response.

use contracts::{Usage, WireApi};
use serde_json::Value;

use crate::usage::usage;

/// The token counts of a response in the canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tokens {
    /// Input, cached and output tokens.
    pub(crate) usage: Usage,
    /// The number of output tokens that were thinking; part of the output in `usage`. 0 if the API does not report it.
    pub(crate) thinking: u64,
}

impl Tokens {
    /// Parses a provider's usage object of `api`. All counts are 0 if the value is not a usage object.
    pub(crate) fn parse(api: WireApi, object: &Value) -> Self {
        let usage = usage(api, &object.to_string()).unwrap_or_default();
        let thinking =
            crate::api::implementation(api).thinking_tokens().and_then(|pointer| object.pointer(pointer)?.as_u64());
        Self { usage, thinking: thinking.unwrap_or(0) }
    }
}
