//! Money and shares as people read them.

/// Nano-dollars with four digits behind the point.
pub fn dollars(nano: i64) -> String {
    let sign = if nano < 0 { "-" } else { "" };
    let tenths = nano.unsigned_abs().saturating_add(50_000) / 100_000;
    format!("{sign}${}.{:04}", tenths / 10_000, tenths % 10_000)
}

/// A difference in nano-dollars, with its sign.
pub fn signed(nano: i64) -> String {
    if 0 < nano { format!("+{}", dollars(nano)) } else { dollars(nano) }
}

/// A part of a whole as a per cent with its sign and one digit; nothing of nothing is nothing.
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
            ["$1.2346", "-$0.0000", "-$9223372036.8548"]
        );
        assert_eq!([signed(5_000_000_000), signed(0), signed(-5_000_000_000)], ["+$5.0000", "$0.0000", "-$5.0000"]);
        assert_eq!([per_cent(-1, 8), per_cent(1, 3), per_cent(1, 0)], ["-12.5 %", "+33.3 %", "+0.0 %"]);
    }
}
