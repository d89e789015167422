//! The cumulative distribution function of the normal distribution, in integers.

use contracts::Score;

/// `Φ(z)` in billionths for `z` of 0, 1/16, 2/16, … up to 4.
const PROBABILITIES: [u64; 65] = [
    500_000_000,
    524_917_669,
    549_738_225,
    574_365_688,
    598_706_326,
    622_669_718,
    646_169_767,
    669_125_612,
    691_462_461,
    713_112_298,
    734_014_471,
    754_116_150,
    773_372_648,
    791_747_607,
    809_213_047,
    825_749_288,
    841_344_746,
    855_995_621,
    869_705_483,
    882_484_772,
    894_350_226,
    905_324_257,
    915_434_278,
    924_712_014,
    933_192_799,
    940_914_877,
    947_918_721,
    954_246_375,
    959_940_843,
    965_045_513,
    969_603_638,
    973_657_873,
    977_249_868,
    980_419_921,
    983_206_694,
    985_646_978,
    987_775_527,
    989_624_927,
    991_225_525,
    992_605_393,
    993_790_335,
    994_803_921,
    995_667_552,
    996_400_545,
    997_020_237,
    997_542_099,
    997_979_863,
    998_345_649,
    998_650_102,
    998_902_518,
    999_110_975,
    999_282_458,
    999_422_975,
    999_537_669,
    999_630_922,
    999_706_445,
    999_767_371,
    999_816_330,
    999_855_519,
    999_886_766,
    999_911_583,
    999_931_216,
    999_946_688,
    999_958_833,
    999_968_329,
];

/// Returns the probability that a difference is greater than 0 in truth, given its estimate `difference` and the
/// standard error of the estimate: `Φ(difference / error)`.
///
/// Both arguments have the same unit; an `error` of 0 counts as 1. The result ranges from one half for no difference to
/// the last entry of [`PROBABILITIES`], between whose entries it is interpolated linearly.
pub(crate) fn probability_above_zero(difference: u64, error: u64) -> Score {
    // In sixteenths of an error, with 16 fractional bits.
    let sixteenths = (u128::from(difference) << 20) / u128::from(error.max(1));
    let index = usize::try_from(sixteenths >> 16).unwrap_or(usize::MAX);
    let fraction = u64::try_from(sixteenths & 0xffff).unwrap_or_default();
    match (PROBABILITIES.get(index), PROBABILITIES.get(index.saturating_add(1))) {
        (Some(below), Some(above)) => Score(below + (above - below) * fraction / 65_536),
        _ => Score(*PROBABILITIES.last().unwrap_or(&Score::ONE.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probability_follows_the_normal_distribution() {
        let shown = |difference, error| probability_above_zero(difference, error).to_string();
        assert_eq!(
            [shown(0, 1), shown(1, 1), shown(2, 1), shown(19, 10), shown(9, 1)],
            ["0.50", "0.84", "0.98", "0.97", "1.00"]
        );
        assert_eq!(shown(5, 0), "1.00");
        assert!(
            (0..400).all(
                |difference| probability_above_zero(difference, 100) <= probability_above_zero(difference + 1, 100)
            )
        );
    }
}
