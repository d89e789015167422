//! Token counts as Codex reports them, and their conversion to disjoint counts.

use client_formats::usage::usage_from_total_input;
use contracts::Usage;
use serde::{Deserialize, Serialize};

/// Token counts of one call, or of all calls of a thread so far, with Codex's field names in JSON. `input` includes
/// cached tokens, both read and written, and `output` includes reasoning. A count that is not reported is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Counts {
    /// Input tokens, cached ones included.
    #[serde(rename = "input_tokens")]
    input: Option<u64>,
    /// Input tokens read from the cache.
    #[serde(rename = "cached_input_tokens")]
    cache_read: Option<u64>,
    /// Input tokens written to the cache.
    #[serde(rename = "cache_write_input_tokens", skip_serializing_if = "Option::is_none")]
    cache_written: Option<u64>,
    /// Output tokens, reasoning included.
    #[serde(rename = "output_tokens")]
    output: Option<u64>,
    /// Reasoning tokens, which are part of the output tokens.
    #[serde(rename = "reasoning_output_tokens", skip_serializing_if = "Option::is_none")]
    reasoning: Option<u64>,
}

/// Content of a `token_count` event: counts of the whole thread and of the last call.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Info {
    /// Counts of all calls of the thread so far.
    pub(super) total_token_usage: Option<Counts>,
    /// Counts of the last call; after a compaction, an estimate of the next.
    pub(super) last_token_usage: Option<Counts>,
}

impl Counts {
    /// Returns whether the counts of input and output tokens are zero.
    pub(super) fn is_zero(&self) -> bool {
        self.input.unwrap_or(0) == 0 && self.output.unwrap_or(0) == 0
    }

    /// Returns the tokens of the prompt, cached or not; 0 if not reported.
    pub(super) fn input_total(&self) -> u64 {
        self.input.unwrap_or(0)
    }

    /// Converts the counts to disjoint ones: uncached input, cache reads, cache writes and output.
    pub(super) fn usage(&self) -> Usage {
        let (read, written) = (self.cache_read.unwrap_or(0), self.cache_written.unwrap_or(0));
        usage_from_total_input(self.input_total(), read, written, self.output.unwrap_or(0))
    }

    /// Returns whether two usage reports have equal token counts, except for reasoning. A missing count is equal to
    /// zero.
    pub(super) fn has_same_counts(&self, other: &Self) -> bool {
        let numbers = |counts: &Self| {
            [counts.input, counts.cache_read, counts.cache_written, counts.output].map(Option::unwrap_or_default)
        };
        numbers(self) == numbers(other)
    }

    /// Returns the sum of two sets of token counts. A count that is missing in both is missing in the sum.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let add = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            _ => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        Self {
            input: add(self.input, other.input),
            cache_read: add(self.cache_read, other.cache_read),
            cache_written: add(self.cache_written, other.cache_written),
            output: add(self.output, other.output),
            reasoning: add(self.reasoning, other.reasoning),
        }
    }

    /// Returns the token counts since an earlier total: the differences, at least 0. A count that is missing in `self`
    /// is missing in the result.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let difference =
            |count: Option<u64>, earlier_count: Option<u64>| Some(count?.saturating_sub(earlier_count.unwrap_or(0)));
        Self {
            input: difference(self.input, earlier.input),
            cache_read: difference(self.cache_read, earlier.cache_read),
            cache_written: difference(self.cache_written, earlier.cache_written),
            output: difference(self.output, earlier.output),
            reasoning: difference(self.reasoning, earlier.reasoning),
        }
    }

    /// Encodes the counts as a JSON object with Codex's field names; `None` if that fails.
    pub(super) fn raw(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

#[cfg(test)]
mod tests {
    use contracts::Usage;

    use super::Counts;

    /// Parses token counts; panics if the JSON is invalid.
    fn counts(json: &str) -> Counts {
        serde_json::from_str(json).unwrap()
    }

    /// Cached tokens are subtracted from the input, so that the sum of the converted counts is the reported input.
    #[test]
    fn cached_tokens_are_part_of_the_input_and_are_counted_once() {
        let last = counts(
            r#"{"input_tokens":10900,"cached_input_tokens":8009,"cache_write_input_tokens":500,"output_tokens":59,
                "reasoning_output_tokens":7,"total_tokens":10959}"#,
        );
        let expected = Usage { input: 2391, cache_read: 8009, cache_write_5m: 500, cache_write_1h: 0, output: 59 };
        assert_eq!(last.usage(), expected);
        assert_eq!(last.usage().input_total(), 10_900);
    }

    /// More cached tokens than input are limited to the input.
    #[test]
    fn numbers_that_do_not_add_up_are_never_more_than_the_input() {
        let odd = counts(r#"{"input_tokens":5,"cached_input_tokens":9,"cache_write_input_tokens":9}"#);
        assert_eq!(odd.usage(), Usage { cache_read: 5, ..Usage::default() });
    }
}
