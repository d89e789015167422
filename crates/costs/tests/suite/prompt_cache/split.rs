//! [`PromptSplit`]: conversion to the usage of a call, and scaling for another tokenizer.

use contracts::{PicoUsd, Prices, Rates, Usage};
use costs::prompt_cache::PromptSplit;

/// A split with writes for one hour.
const SPLIT: PromptSplit = PromptSplit { read: 10_000, written_5m: 0, written_1h: 2_000, uncached: 8 };

#[test]
fn a_split_costs_what_the_model_charges_for_each_part() {
    let usage = SPLIT.usage(500);
    let expected = Usage { input: 8, cache_read: 10_000, cache_write_5m: 0, cache_write_1h: 2_000, output: 500 };
    assert_eq!((usage, SPLIT.total()), (expected, 12_008));
    // 3, 0.30, 3.75, 6 and 15 dollars for a million tokens.
    let [input, cache_read, cache_write_5m, cache_write_1h, output] =
        [3_000_000, 300_000, 3_750_000, 6_000_000, 15_000_000].map(PicoUsd);
    let base = Rates { input, cache_read, cache_write_5m, cache_write_1h, output };
    // 24 + 3,000 + 12,000 + 7,500 millionths of a dollar.
    assert_eq!(Prices { base, long: None }.cost(&usage).0, 22_524_000);
}

#[test]
fn scaling_a_split_scales_read_and_total_tokens_and_writes_the_rest() {
    assert_eq!(SPLIT.scaled(9, 10), PromptSplit { read: 9_000, written_5m: 0, written_1h: 1_799, uncached: 8 });
    assert_eq!(SPLIT.scaled(1, 1), SPLIT);
    assert_eq!(SPLIT.scaled(1, 0), SPLIT, "no ratio, no scaling");
    assert_eq!(SPLIT.scaled(0, 1), PromptSplit::default());
    let automatic = PromptSplit { read: 1_280, written_5m: 0, written_1h: 0, uncached: 700 };
    assert_eq!(automatic.scaled(1, 2), PromptSplit { read: 640, uncached: 350, ..automatic });
    assert_eq!(SPLIT.scaled(u64::MAX, 1).total(), u64::MAX, "what does not fit stays at the most");
}
