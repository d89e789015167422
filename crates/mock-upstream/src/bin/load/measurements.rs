//! The results of a load test: the latencies of responses, and the errors.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The latencies and errors of the requests of one connection, or of all connections after [`Measurements::merge`].
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    /// The times from sending each request to the first byte of the response's body, in nanoseconds.
    first_byte_times: Vec<u64>,
    /// The times from sending each request to the end of the response, in nanoseconds.
    end_times: Vec<u64>,
    /// The number of requests that failed.
    errors: u64,
    /// The message of the first error; `None` without an error.
    first_error: Option<String>,
}

impl Measurements {
    /// Adds the latencies of a successful request.
    pub(crate) fn add_response(&mut self, sent_at: Instant, first_byte_at: Instant, ended_at: Instant) {
        let nanoseconds = |end: Instant| u64::try_from(end.duration_since(sent_at).as_nanos()).unwrap_or(u64::MAX);
        self.first_byte_times.push(nanoseconds(first_byte_at));
        self.end_times.push(nanoseconds(ended_at));
    }

    /// Counts a failed request; the message is stored if it is the first.
    pub(crate) fn add_error(&mut self, message: &str) {
        self.errors += 1;
        self.first_error.get_or_insert_with(|| message.to_owned());
    }

    /// Adds the measurements of another connection.
    pub(crate) fn merge(&mut self, other: Self) {
        self.first_byte_times.extend(other.first_byte_times);
        self.end_times.extend(other.end_times);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    /// Returns the number of successful requests.
    pub(crate) fn count(&self) -> u64 {
        self.end_times.len() as u64
    }

    /// Returns the report: counts, requests per second, and percentiles in microseconds. `elapsed` is the duration of
    /// the measurement.
    pub(crate) fn into_json(mut self, elapsed: Duration) -> Value {
        self.first_byte_times.sort_unstable();
        self.end_times.sort_unstable();
        let seconds = elapsed.as_secs_f64();
        json!({
            "requests": self.end_times.len(),
            "errors": self.errors,
            "first_error": self.first_error,
            "seconds": rounded(seconds),
            "rps": rounded(as_float(self.count()) / seconds.max(1e-9)),
            "p50_us": percentile_in_microseconds(&self.end_times, 50),
            "p99_us": percentile_in_microseconds(&self.end_times, 99),
            "first_byte_p50_us": percentile_in_microseconds(&self.first_byte_times, 50),
            "first_byte_p99_us": percentile_in_microseconds(&self.first_byte_times, 99),
        })
    }
}

/// Returns the `percent` percentile of sorted times in nanoseconds, converted to microseconds; `None` without a time.
fn percentile_in_microseconds(sorted: &[u64], percent: usize) -> Option<f64> {
    let index = (sorted.len() * percent / 100).min(sorted.len().checked_sub(1)?);
    sorted.get(index).map(|nanoseconds| rounded(as_float(*nanoseconds) / 1_000.0))
}

/// Converts a number to a float, for reports.
#[expect(clippy::cast_precision_loss, reason = "a figure for people: below 2^53 nothing is lost")]
pub(crate) fn as_float(number: u64) -> f64 {
    number as f64
}

/// Rounds a number to one decimal place.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let sorted: Vec<u64> = (1..=100).map(|microsecond| microsecond * 1_000).collect();
        assert_eq!(percentile_in_microseconds(&sorted, 50), Some(51.0));
        assert_eq!(percentile_in_microseconds(&sorted, 99), Some(100.0));
        assert_eq!(percentile_in_microseconds(&sorted[..1], 99), Some(1.0));
        assert_eq!(percentile_in_microseconds(&[], 50), None);
    }
}
