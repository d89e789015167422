//! Money, scores and tokens: exact integers (decisions D13 and D20).

use contracts::{Estimates, NanoUsd, PicoUsd, Prices, Rates, Score, TokenBucket, Tokenizer, Usage};
use proptest::prelude::*;

fn usage() -> impl Strategy<Value = Usage> {
    prop::array::uniform5(prop_oneof![0_u64..10_000_000, Just(0), Just(u64::MAX)]).prop_map(
        |[input, cache_read, cache_write_5m, cache_write_1h, output]| Usage {
            input,
            cache_read,
            cache_write_5m,
            cache_write_1h,
            output,
        },
    )
}

fn rates() -> impl Strategy<Value = Rates> {
    prop::array::uniform5((0_u64..100_000_000).prop_map(PicoUsd)).prop_map(
        |[input, cache_read, cache_write_5m, cache_write_1h, output]| Rates {
            input,
            cache_read,
            cache_write_5m,
            cache_write_1h,
            output,
        },
    )
}

/// Reference computation of a cost in 128 bits.
fn exact(rates: &Rates, usage: &Usage) -> u64 {
    let parts = [
        (usage.input, rates.input),
        (usage.cache_read, rates.cache_read),
        (usage.cache_write_5m, rates.cache_write_5m),
        (usage.cache_write_1h, rates.cache_write_1h),
        (usage.output, rates.output),
    ];
    let pico: u128 = parts.iter().map(|(tokens, rate)| u128::from(*tokens) * u128::from(rate.0)).sum();
    let (whole, rest) = (pico / 1_000, pico % 1_000);
    u64::try_from(if rest < 500 { whole } else { whole + 1 }).unwrap_or(u64::MAX)
}

#[test]
fn dollars_are_shown_with_as_many_decimals_as_asked_and_rounded_half_up() {
    let amount = NanoUsd(1_234_567_891);
    let shown = [format!("{amount}"), format!("{amount:.0}"), format!("{amount:.4}"), format!("{amount:.9}")];
    assert_eq!(shown, ["$1.23", "$1", "$1.2346", "$1.234567891"]);
    assert_eq!(format!("{:.40}", NanoUsd(7)), "$0.000000007");
    assert_eq!(
        format!("{}|{}|{}", NanoUsd(4_949_999), NanoUsd(5_000_000), NanoUsd(995_000_000)),
        "$0.0049|$0.005|$1.00"
    );
    assert_eq!(format!("{:>8}", NanoUsd(1_000_000_000)), "   $1.00");
}

#[test]
fn only_plain_digits_are_an_amount() {
    for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "$5", " 5", "0.0000000001", "18446744074", "٣"] {
        assert!(text.parse::<NanoUsd>().is_err(), "{text}");
    }
    assert_eq!("18446744073.709551615".parse(), Ok(NanoUsd(u64::MAX)));
    assert_eq!("5".parse(), Ok(NanoUsd(5_000_000_000)));
    assert_eq!("007.50".parse(), Ok(NanoUsd(7_500_000_000)));
}

#[test]
fn a_long_prompt_costs_the_long_rates_in_whole() {
    let rates = |pico| Rates { input: PicoUsd(pico), ..Rates::default() };
    let prices = Prices { base: rates(1_000), long: Some((200_000, rates(3_000))) };
    let cost = |input, cache_read| prices.cost(&Usage { input, cache_read, ..Usage::default() }).0;
    assert_eq!(cost(200_000, 0), 200_000, "exactly the threshold is not more");
    assert_eq!(cost(200_001, 0), 600_003);
    assert_eq!(cost(1, 200_000), 3, "cached input counts towards the threshold");
}

#[test]
fn a_sum_that_does_not_fit_stays_at_the_top() {
    let top = NanoUsd(u64::MAX);
    assert_eq!([top, NanoUsd(1), top].into_iter().sum::<NanoUsd>(), top);
    let everything = Usage { input: u64::MAX, cache_read: 1, cache_write_5m: 0, cache_write_1h: 0, output: 5 };
    assert_eq!(everything.input_total(), u64::MAX);
    let prices =
        Prices { base: Rates { input: PicoUsd(u64::MAX), output: PicoUsd(u64::MAX), ..Rates::default() }, long: None };
    assert_eq!(prices.cost(&Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() }), top);
}

#[test]
fn prompts_fall_into_four_sizes() {
    let bucket = |tokens| TokenBucket::from_tokens(tokens).0;
    assert_eq!([0, 999, 1_000, 9_999, 10_000, 99_999, 100_000, u64::MAX].map(bucket), [0, 0, 1, 1, 2, 2, 3, 3]);
}

#[test]
fn each_family_has_its_own_estimate() {
    let estimates = Estimates::each(|tokenizer| match tokenizer {
        Tokenizer::Anthropic => 1,
        Tokenizer::OpenAi => 2,
        Tokenizer::Google => 3,
        Tokenizer::Generic => 4,
    });
    assert_eq!(Tokenizer::ALL.map(|tokenizer| estimates.for_tokenizer(tokenizer)), [1, 2, 3, 4]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_amount_shown_in_full_reads_back(nano in any::<u64>()) {
        let amount = NanoUsd(nano);
        // So close to the top the rounding itself saturates; nine decimals are never rounded.
        let text = format!("{amount:.9}");
        prop_assert_eq!(text.trim_start_matches('$').parse(), Ok(amount));
    }

    #[test]
    fn a_shown_amount_is_within_half_a_unit(nano in 0..u64::MAX / 2, decimals in 0_usize..9) {
        let text = format!("{:.decimals$}", NanoUsd(nano));
        let shown: NanoUsd = text.trim_start_matches('$').parse().unwrap();
        let half = 10_u64.pow(9 - u32::try_from(decimals).unwrap()) / 2;
        prop_assert!(shown.0.abs_diff(nano) <= half, "{} for {}", text, nano);
    }

    #[test]
    fn a_cost_is_exact_and_rounded_once(usage in usage(), rates in rates()) {
        prop_assert_eq!(Prices { base: rates, long: None }.cost(&usage).0, exact(&rates, &usage));
    }

    #[test]
    fn more_tokens_never_cost_less(usage in usage(), more in usage(), rates in rates()) {
        let prices = Prices { base: rates, long: None };
        prop_assert!(prices.cost(&usage) <= prices.cost(&usage.plus(&more)));
    }

    #[test]
    fn sums_of_money_do_not_depend_on_the_order(mut amounts in prop::collection::vec(any::<u64>(), 0..20)) {
        let sum = |amounts: &[u64]| amounts.iter().map(|nano| NanoUsd(*nano)).sum::<NanoUsd>();
        let forwards = sum(&amounts);
        amounts.reverse();
        prop_assert_eq!(sum(&amounts), forwards);
    }

    #[test]
    fn a_ratio_is_a_score_rounded_down(numerator in any::<u64>(), denominator in any::<u64>()) {
        let score = Score::ratio(numerator, denominator);
        prop_assert!(score <= Score::ONE);
        if denominator == 0 {
            prop_assert_eq!(score, Score::ZERO);
        } else if numerator <= denominator {
            let exact = u128::from(numerator) * 1_000_000_000;
            let low = u128::from(score.0) * u128::from(denominator);
            prop_assert!(low <= exact && exact < low + u128::from(denominator));
        } else {
            prop_assert_eq!(score, Score::ONE);
        }
        prop_assert_eq!(score.complement().complement(), score);
    }

    #[test]
    fn a_product_of_scores_is_no_more_than_either(one in 0..=1_000_000_000_u64, other in 0..=1_000_000_000_u64) {
        let (one, other) = (Score(one), Score(other));
        prop_assert!(one.times(other) <= one.min(other));
        prop_assert_eq!(one.times(other), other.times(one));
        prop_assert_eq!(one.times(Score::ONE), one);
    }

    #[test]
    fn a_shown_score_is_within_half_a_hundredth(billionths in 0..=1_000_000_000_u64) {
        let text = Score(billionths).to_string();
        let (whole, hundredths) = text.split_once('.').unwrap();
        prop_assert_eq!(hundredths.len(), 2);
        let shown = whole.parse::<u64>().unwrap() * 100 + hundredths.parse::<u64>().unwrap();
        prop_assert!((shown * 10_000_000).abs_diff(billionths) <= 5_000_000);
    }
}
