//! Parses times in session files: texts in the format of RFC 3339, and numbers of seconds or milliseconds since 1970.

use event_core::Timestamp;
use serde_json::value::RawValue;

/// Parses a time in the format of RFC 3339; `None` if it is not one or before 1970.
pub(crate) fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_microsecond()).ok().map(Timestamp)
}

/// Parses a time since 1970: seconds with an optional fraction, or milliseconds. Numbers above 99,999,999,999 are
/// milliseconds. `None` for other texts.
fn parse_unix_time(text: &str) -> Option<Timestamp> {
    /// The largest number that is read as seconds. As seconds it is in the year 5138, as milliseconds in March 1973.
    const LAST_SECOND: u64 = 99_999_999_999;
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let integer: u64 = integer.parse().ok()?;
    if LAST_SECOND < integer {
        return (integer <= LAST_SECOND * 1_000).then(|| Timestamp(integer * 1_000));
    }
    let digits: String = fraction.chars().chain("000000".chars()).take(6).collect();
    Some(Timestamp(integer * 1_000_000 + digits.parse::<u64>().ok()?))
}

/// Parses a JSON value: a text in the format of RFC 3339, or a number (also as text) of seconds or milliseconds since
/// 1970. `None` for other values.
pub(crate) fn parse_json_time(value: &RawValue) -> Option<Timestamp> {
    let text = value.get();
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) => parse_rfc3339(text).or_else(|| parse_unix_time(text)),
        None => parse_unix_time(text),
    }
}

#[cfg(test)]
mod tests {
    use event_core::Timestamp;

    use super::{parse_rfc3339, parse_unix_time};

    /// The accepted notations of one time, and texts that are no time.
    #[test]
    fn times_are_texts_seconds_or_milliseconds() {
        let noon = Timestamp(1_795_176_000_250_000);
        assert_eq!(parse_rfc3339("2026-11-20T12:00:00.25Z"), Some(noon));
        assert_eq!(parse_unix_time("1795176000.25"), Some(noon));
        assert_eq!(parse_unix_time("1795176000250"), Some(noon));
        assert_eq!(parse_unix_time("1795176000"), Some(Timestamp(1_795_176_000_000_000)));
        for wrong in ["", "1795176000250000", "-1", "soon", "1e9", "1.x", "99999999999999999999"] {
            assert_eq!(parse_unix_time(wrong), None, "{wrong}");
        }
    }
}
