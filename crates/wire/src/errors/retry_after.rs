//! Parses `Retry-After` headers.

/// The longest delay that is returned, in seconds: a day.
const MAX_SECONDS: u64 = 86_400;

/// Returns the delay of a `Retry-After` header in seconds, at most a day. The value is a number of seconds or an HTTP
/// date (RFC 9110 §5.6.7, `Sun, 06 Nov 1994 08:49:37 GMT`); `None` if it is neither. `now` is in seconds since 1970.
pub fn retry_after(value: &str, now: u64) -> Option<u64> {
    let value = value.trim();
    let seconds =
        if let Ok(seconds) = value.parse::<f64>() { whole_seconds(seconds)? } else { date(value)?.saturating_sub(now) };
    Some(seconds.min(MAX_SECONDS))
}

/// Rounds seconds up; some providers send fractions. `None` if the number is negative or not finite.
fn whole_seconds(seconds: f64) -> Option<u64> {
    if !seconds.is_finite() || seconds < 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "finite, not negative, and bounded")]
    Some(seconds.ceil().min(1e9) as u64)
}

/// Parses an HTTP date; returns seconds since 1970.
fn date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.split_once(", ")?;
    let mut parts = rest.split(' ');
    let day: u64 = parts.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let name = parts.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year: u64 = parts.next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let mut clock = parts.next()?.split(':').map(str::parse::<u64>);
    let (hours, minutes, seconds) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    if parts.next() != Some("GMT") || hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    Some(days(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar; internally, years start in March.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let in_year = (153 * month + 2) / 5 + day - 1;
    let until_1970 = 719_468;
    (year * 365 + year / 4 - year / 100 + year / 400 + in_year).saturating_sub(until_1970)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::retry_after;

    #[test]
    fn seconds_and_dates_are_understood() {
        assert_eq!(retry_after("17", 0), Some(17));
        assert_eq!(retry_after(" 0.3 ", 0), Some(1));
        assert_eq!(retry_after("0", 0), Some(0));
        // The example of RFC 9110, half a minute before it.
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_747), Some(30));
        assert_eq!(retry_after("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_799), Some(1));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:00:05 GMT", 0), Some(5));
    }

    #[test]
    fn a_date_in_the_past_is_no_wait_and_a_far_one_is_a_day() {
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 1_800_000_000), Some(0));
        assert_eq!(retry_after("Fri, 31 Dec 9999 23:59:59 GMT", 0), Some(86_400));
        assert_eq!(retry_after("1e300", 0), Some(86_400));
    }

    #[test]
    fn nonsense_is_nothing() {
        for text in [
            "",
            "soon",
            "-3",
            "NaN",
            "inf",
            "Sun, 06 Nov 1994",
            "Sun, 06 Now 1994 08:49:37 GMT",
            "x, 0 Jan 1970 0:0:0 GMT",
        ] {
            assert_eq!(retry_after(text, 0), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_header_is_at_most_a_day(text in ".{0,60}", now in any::<u64>()) {
            prop_assert!(retry_after(&text, now).unwrap_or_default() <= 86_400);
        }
    }
}
