//! Formats moments as UTC dates.

use event_core::Timestamp;

/// Formats the UTC day, as `2026-11-20`.
pub(crate) fn format_day(at: Timestamp) -> String {
    format_utc(at, "%Y-%m-%d")
}

/// Formats the ISO week, as `2026-W47`.
pub(crate) fn format_week(at: Timestamp) -> String {
    format_utc(at, "%G-W%V")
}

/// Formats the moment to the second, as `2026-11-20T19:36:00Z`.
pub(crate) fn format_moment(at: Timestamp) -> String {
    format_utc(at, "%Y-%m-%dT%H:%M:%SZ")
}

/// Formats a moment with `strftime`; an empty text if it is outside the range of the calendar.
fn format_utc(at: Timestamp, format: &str) -> String {
    let at = i64::try_from(at.0).ok().and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    at.map(|at| at.strftime(format).to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar_and_a_moment_beyond_it_is_empty() {
        let shown = [0, 951_782_400, 1_795_205_023].map(|second| format_moment(Timestamp(second * 1_000_000)));
        assert_eq!(shown, ["1970-01-01T00:00:00Z", "2000-02-29T00:00:00Z", "2026-11-20T20:03:43Z"]);
        assert_eq!(format_day(Timestamp(951_782_400_000_000)), "2000-02-29");
        assert_eq!(format_week(Timestamp(1_795_205_023_000_000)), "2026-W47");
        assert_eq!(format_moment(Timestamp(u64::MAX)), "");
    }
}
