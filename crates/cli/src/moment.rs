//! Parses moments: a date, a date with time, or a span before now.

use event_core::Timestamp;
use jiff::{civil, tz::TimeZone};

/// The length of each unit of a span in microseconds.
const UNITS: [(char, u64); 4] =
    [('m', 60_000_000), ('h', 3_600_000_000), ('d', 86_400_000_000), ('w', 604_800_000_000)];

/// Parses a moment: a local date `2026-11-01` or time `2026-11-01T12:30`, a UTC time `2026-11-01T12:30:00Z`, or a span
/// before `now` such as `30d` or `12h`. A span that begins before 1970 results in 1970.
///
/// # Errors
/// A message with the expected formats.
pub(crate) fn parse_moment(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    if let Some(span) = parse_span(text) {
        return Ok(Timestamp(now.0.saturating_sub(span)));
    }
    let local = |at: civil::DateTime| at.to_zoned(TimeZone::system()).ok().map(|at| at.timestamp());
    let at = text.parse::<jiff::Timestamp>().ok().or_else(|| text.parse::<civil::DateTime>().ok().and_then(local));
    at.and_then(|at| u64::try_from(at.as_microsecond()).ok()).map(Timestamp).ok_or_else(|| {
        format!("`{text}` is no time: write a day like 2026-11-01, 2026-11-01T12:30, or 30d for 30 days ago")
    })
}

/// Parses a span of time such as `30d` into microseconds; `None` if it is invalid or overflows.
fn parse_span(text: &str) -> Option<u64> {
    let unit = text.chars().next_back()?;
    let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: u64 = text[..text.len() - 1].parse().ok()?;
    number.checked_mul(*length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time in November 2026, in microseconds since 1970.
    const NOW: Timestamp = Timestamp(1_795_000_000_000_000);

    #[test]
    fn a_span_counts_back_from_now() {
        assert_eq!(parse_moment("2h", NOW), Ok(Timestamp(NOW.0 - 7_200_000_000)));
        assert_eq!(parse_moment("1w", NOW), Ok(Timestamp(NOW.0 - 7 * 86_400_000_000)));
        assert_eq!(parse_moment("99999d", NOW), Ok(Timestamp(0)));
    }

    #[test]
    fn a_moment_with_a_zone_is_that_moment() {
        assert_eq!(parse_moment("2026-11-01T12:30:00Z", NOW), Ok(Timestamp(1_793_536_200_000_000)));
        assert!(parse_moment("2026-11-01", NOW).is_ok() && parse_moment("2026-11-01T12:30", NOW).is_ok());
    }

    #[test]
    fn what_is_no_moment_is_refused_with_what_is_expected() {
        for text in ["", "d", "yesterday", "2026-13-01", "-3d", "5x"] {
            let refused = parse_moment(text, NOW).unwrap_err();
            assert!(refused.contains("2026-11-01T12:30"), "{refused}");
        }
    }
}
