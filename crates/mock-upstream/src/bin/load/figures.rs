//! Measurements: the number of responses and their latencies.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The measurements of one connection, or of all connections.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// Times to the first byte of the body, in nanoseconds.
    first: Vec<u64>,
    /// Times to the end of the body, in nanoseconds.
    last: Vec<u64>,
    errors: u64,
    first_error: Option<String>,
}

impl Figures {
    pub(crate) fn answered(&mut self, begun: Instant, first: Instant, last: Instant) {
        let nanoseconds = |end: Instant| u64::try_from(end.duration_since(begun).as_nanos()).unwrap_or(u64::MAX);
        self.first.push(nanoseconds(first));
        self.last.push(nanoseconds(last));
    }

    pub(crate) fn failed(&mut self, why: &str) {
        self.errors += 1;
        self.first_error.get_or_insert_with(|| why.to_owned());
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.first.extend(other.first);
        self.last.extend(other.last);
        self.errors += other.errors;
        self.first_error = self.first_error.take().or(other.first_error);
    }

    pub(crate) fn count(&self) -> u64 {
        self.last.len() as u64
    }

    /// Returns throughput and latency percentiles, in microseconds, as JSON.
    pub(crate) fn told(mut self, took: Duration) -> Value {
        self.first.sort_unstable();
        self.last.sort_unstable();
        let seconds = took.as_secs_f64();
        json!({
            "requests": self.last.len(),
            "errors": self.errors,
            "first_error": self.first_error,
            "seconds": rounded(seconds),
            "rps": rounded(as_float(self.count()) / seconds.max(1e-9)),
            "p50_us": microseconds(&self.last, 50),
            "p99_us": microseconds(&self.last, 99),
            "first_byte_p50_us": microseconds(&self.first, 50),
            "first_byte_p99_us": microseconds(&self.first, 99),
        })
    }
}

/// Returns a percentile of sorted times.
fn microseconds(sorted: &[u64], percent: usize) -> Option<f64> {
    let place = (sorted.len() * percent / 100).min(sorted.len().checked_sub(1)?);
    sorted.get(place).map(|nanoseconds| rounded(as_float(*nanoseconds) / 1_000.0))
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people: below 2^53 nothing is lost")]
pub(crate) fn as_float(number: u64) -> f64 {
    number as f64
}

/// Rounds to a tenth.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let sorted: Vec<u64> = (1..=100).map(|microsecond| microsecond * 1_000).collect();
        assert_eq!(microseconds(&sorted, 50), Some(51.0));
        assert_eq!(microseconds(&sorted, 99), Some(100.0));
        assert_eq!(microseconds(&sorted[..1], 99), Some(1.0));
        assert_eq!(microseconds(&[], 50), None);
    }
}
