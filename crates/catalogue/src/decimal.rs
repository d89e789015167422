//! Exact conversion between decimal text and integers: money is never a float (decision D13).

/// Why a text cannot be parsed as a decimal number that becomes an integer when it is scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecimalError {
    /// The text is not a decimal number.
    #[error("not a decimal number")]
    NotANumber,
    /// The number is negative.
    #[error("negative")]
    Negative,
    /// The number is not an integer after scaling: it has more decimals than the scale.
    #[error("finer than the smallest unit")]
    TooFine,
    /// The scaled number exceeds 64 bits.
    #[error("too large")]
    TooLarge,
}

/// Parses a decimal number and returns it times ten to the power of `scale`: with a scale of 6, `1.25` is 1,250,000. No
/// digit is rounded.
///
/// Accepts `3`, `3.00`, `.5` and exponents such as `1.25e-06`, the notations of YAML and JSON files.
///
/// # Errors
/// [`DecimalError`] if the text is not a number, or if the result is negative, not an integer, or over 64 bits.
pub(crate) fn parse_scaled(text: &str, scale: i32) -> Result<u64, DecimalError> {
    let text = text.trim();
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(positive) = text.strip_prefix('-') {
        // Minus zero is zero.
        return match parse_scaled(positive, scale) {
            Ok(0) => Ok(0),
            Ok(_) | Err(DecimalError::TooFine | DecimalError::TooLarge) => Err(DecimalError::Negative),
            Err(error) => Err(error),
        };
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().map_err(|_| DecimalError::NotANumber)?),
        None => (text, 0_i32),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !is_digits(integer) || !is_digits(fraction) || integer.len() + fraction.len() == 0 {
        return Err(DecimalError::NotANumber);
    }
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_end_matches('0');
    if significant.trim_start_matches('0').is_empty() {
        return Ok(0);
    }
    let length = |part: &str| i64::try_from(part.len()).map_err(|_| DecimalError::TooLarge);
    let trailing_zeros = length(&digits)? - length(significant)?;
    let power = i64::from(exponent) + i64::from(scale) - length(fraction)? + trailing_zeros;
    let power =
        u32::try_from(power).map_err(|_| if power < 0 { DecimalError::TooFine } else { DecimalError::TooLarge })?;
    let number: u64 = significant.parse().map_err(|_| DecimalError::TooLarge)?;
    10_u64.checked_pow(power).and_then(|factor| number.checked_mul(factor)).ok_or(DecimalError::TooLarge)
}

/// Formats a number of millionths as a decimal number with at least two decimals: 3,000,000 is `3.00`.
pub(crate) fn format_millionths(number: u64) -> String {
    let fraction = format!("{:06}", number % 1_000_000);
    let kept = fraction.trim_end_matches('0').len().max(2);
    format!("{}.{}", number / 1_000_000, &fraction[..kept])
}

#[cfg(test)]
mod tests {
    use super::{DecimalError, format_millionths, parse_scaled};

    /// Prices in dollars per million tokens are parsed exactly to pico-dollars; other texts are errors.
    #[test]
    fn dollars_per_million_tokens_become_whole_pico_dollars() {
        let check =
            |text: &str, expected: Result<u64, DecimalError>| assert_eq!(parse_scaled(text, 6), expected, "{text}");
        check("3", Ok(3_000_000));
        check("3.00", Ok(3_000_000));
        check("0.30", Ok(300_000));
        check(".5", Ok(500_000));
        check("0.000001", Ok(1));
        check("1e-6", Ok(1));
        check("-0.0", Ok(0));
        check("0.0000001", Err(DecimalError::TooFine));
        check("-3", Err(DecimalError::Negative));
        check("99999999999999999999", Err(DecimalError::TooLarge));
        check("1e30", Err(DecimalError::TooLarge));
        check("1e99999999999", Err(DecimalError::NotANumber));
        for text in [".nan", "NaN", "inf", "", ".", "3,00", "3.0.0", "0x10", "+3", "three", "1e", "1_000"] {
            check(text, Err(DecimalError::NotANumber));
        }
    }

    /// Prices in dollars per token with exponents are parsed exactly.
    #[test]
    fn dollars_per_token_as_json_writes_them_are_exact() {
        assert_eq!(parse_scaled("1.25e-06", 12), Ok(1_250_000));
        assert_eq!(parse_scaled("0.000168", 12), Ok(168_000_000));
        assert_eq!(parse_scaled("7.5E-8", 12), Ok(75_000));
        assert_eq!(parse_scaled("1.00000001e-12", 12), Err(DecimalError::TooFine));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn formatted_numbers_are_parsed_to_the_same_number(number in 0_u64..u64::MAX) {
            proptest::prop_assert_eq!(parse_scaled(&format_millionths(number), 6), Ok(number));
        }
    }
}
