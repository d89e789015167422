//! Formats amounts of money and shares for users.

use contracts::NanoUsd;

/// Formats an amount in nano-dollars as dollars, as [`NanoUsd`] is shown to users: `-$1.23`, `$0.0034`.
pub fn dollars(nano: i64) -> String {
    let sign = if nano < 0 { "-" } else { "" };
    format!("{sign}{}", NanoUsd(nano.unsigned_abs()))
}

/// Formats a difference in nano-dollars as dollars with its sign; zero has none.
pub fn signed(nano: i64) -> String {
    if 0 < nano { format!("+{}", dollars(nano)) } else { dollars(nano) }
}

/// Formats `part` of `whole` as per cent with a sign and one decimal, rounded towards zero; `+0.0 %` if `whole` is 0.
pub fn per_cent(part: i64, whole: i64) -> String {
    let tenths = (i128::from(part) * 1_000).checked_div(i128::from(whole)).unwrap_or_default();
    let sign = if tenths < 0 { "-" } else { "+" };
    format!("{sign}{}.{} %", tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_sign_and_are_rounded_once() {
        assert_eq!(
            [dollars(1_234_567_890), dollars(-49_999), dollars(i64::MIN + 1)],
            ["$1.23", "-$0.00005", "-$9223372036.85"]
        );
        assert_eq!([signed(5_000_000_000), signed(0), signed(-5_000_000_000)], ["+$5.00", "$0.00", "-$5.00"]);
        assert_eq!([per_cent(-1, 8), per_cent(1, 3), per_cent(1, 0)], ["-12.5 %", "+33.3 %", "+0.0 %"]);
    }
}
