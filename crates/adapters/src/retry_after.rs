//! Parses the `Retry-After` header (RFC 9110 §10.2.3).

use std::time::{Duration, SystemTime};

use hyper::header::HeaderValue;

/// Maximum duration that [`retry_after`] returns.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// Parses the value of a `Retry-After` header to the time until the retry: a number of seconds, rounded up to whole
/// seconds, or the time from `now` to an HTTP date.
///
/// The result is at most a day, and zero for a date in the past; `None` if the value is neither.
pub fn retry_after(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let value = value.to_str().ok()?.trim();
    let wait = match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && 0.0 <= seconds => {
            Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(MAX_WAIT)
        }
        Ok(_) => return None,
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or(Duration::ZERO),
    };
    Some(wait.min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    use super::{MAX_WAIT, retry_after};

    /// Returns the parsed pause in seconds, for a time `now` seconds after the Unix epoch.
    fn seconds(value: &str, now: u64) -> Option<u64> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now);
        retry_after(&HeaderValue::from_str(value).unwrap(), now).map(|wait| wait.as_secs())
    }

    #[test]
    fn seconds_and_dates_are_parsed() {
        assert_eq!(seconds("17", 0), Some(17));
        assert_eq!(seconds(" 0.3 ", 0), Some(1));
        assert_eq!(seconds("1.5", 0), Some(2));
        assert_eq!(seconds("0", 0), Some(0));
        // The example of RFC 9110, half a minute before it.
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_747), Some(30));
        assert_eq!(seconds("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_799), Some(1));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:05 GMT", 0), Some(5));
    }

    #[test]
    fn a_past_date_is_no_wait_and_a_distant_one_is_a_day() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT", 1_800_000_000), Some(0));
        assert_eq!(seconds("Fri, 31 Dec 9999 23:59:59 GMT", 0), Some(86_400));
        assert_eq!(seconds("1e300", 0), Some(86_400));
    }

    #[test]
    fn other_values_are_no_wait() {
        for value in [
            "",
            "soon",
            "-3",
            "NaN",
            "inf",
            "Sun, 06 Nov 1994",
            "Sun, 06 Now 1994 08:49:37 GMT",
            "x, 0 Jan 1970 0:0:0 GMT",
        ] {
            assert_eq!(seconds(value, 0), None, "{value}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_header_asks_for_more_than_a_day(bytes in proptest::collection::vec(32_u8..127, 0..60), now in 0..1_u64 << 40) {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now);
            let wait = retry_after(&HeaderValue::from_bytes(&bytes).unwrap(), now);
            prop_assert!(wait.unwrap_or_default() <= MAX_WAIT);
        }
    }
}
