//! Binary logarithms in fixed point, equal on every machine.

/// Fractional bits of a result.
const FRACTION_BITS: u32 = 16;

/// Returns the binary logarithm of `numerator / denominator` in units of 1/65,536, rounded down; 0 if the quotient is at
/// most 1 or `denominator` is 0.
pub(super) fn log2_ratio(numerator: u64, denominator: u64) -> u64 {
    log2(numerator).saturating_sub(log2(denominator))
}

/// Returns the binary logarithm of `value` in units of 1/65,536, rounded down; 0 for the value 0.
fn log2(value: u64) -> u64 {
    let Some(whole) = value.checked_ilog2() else { return 0 };
    // The mantissa, from 1 to 2, with 63 fractional bits. Its square doubles the logarithm: one bit of it in each step.
    let mut mantissa = u128::from(value) << (63 - whole);
    let mut result = u64::from(whole);
    for _ in 0..FRACTION_BITS {
        mantissa = (mantissa * mantissa) >> 63;
        let bit = mantissa >> 64;
        mantissa >>= bit;
        result = (result << 1) | u64::from(bit != 0);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_a_ratio_is_exact_to_its_last_bit() {
        assert_eq!([log2(0), log2(1), log2(2), log2(8), log2(u64::MAX)], [0, 0, 65_536, 3 * 65_536, 64 * 65_536 - 1]);
        // log2(3) = 1.58496250…, log2(10 / 3) = 1.73696559…
        assert_eq!(log2(3), 103_872);
        assert!(log2_ratio(10, 3).abs_diff(113_833) <= 1);
        assert_eq!((log2_ratio(1, 2), log2_ratio(5, 0)), (0, log2(5)));
    }
}
