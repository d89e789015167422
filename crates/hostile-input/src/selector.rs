//! The meaning of the first byte of an input.

use contracts::WireApi;

/// Returns the API that the lowest two bits of the first byte select: of the digits, `0` is Messages, `1` chat completions,
/// `2` Responses and `3` Gemini.
pub(crate) fn api(selector: u8) -> WireApi {
    WireApi::ALL[usize::from(selector) % WireApi::ALL.len()]
}
