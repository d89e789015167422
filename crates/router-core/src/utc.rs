//! Formats times in UTC, for texts that must not depend on the machine.

use event_core::Timestamp;

/// Formats a time as `2026-12-01 00:00 UTC`.
pub(crate) fn utc_minute(at: Timestamp) -> String {
    let seconds = i64::try_from(at.secs()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "at an unknown time".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}
