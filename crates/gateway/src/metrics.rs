//! Counters of the gateway for `/metrics`, in the Prometheus text format.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use contracts::WireApi;

/// Upper bounds of the histogram buckets, in microseconds: from 0.1 ms to 5 minutes.
const BUCKETS: [u64; 12] =
    [100, 250, 500, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000, 60_000_000, 300_000_000];

/// The counters of the gateway's requests and responses since it started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Number of responses, indexed by wire API, then by status class from 2xx to 5xx.
    requests: [[AtomicU64; 4]; 4],
    /// Number of requests to the gateway's own endpoints.
    other_responses: AtomicU64,
    /// Histogram of the time from request to first response byte; the last bucket has no upper bound.
    first_byte: [AtomicU64; BUCKETS.len() + 1],
    /// Sum of the times in `first_byte`, in microseconds.
    first_byte_sum_micros: AtomicU64,
}

impl Metrics {
    /// Counts a response in a wire API by its HTTP status. `elapsed` is the time from the request to the first byte of
    /// the response.
    pub(crate) fn count_response(&self, api: WireApi, status: u16, elapsed: Duration) {
        let class = usize::from(status / 100).clamp(2, 5) - 2;
        if let Some(count) = self.requests.get(api as usize).and_then(|classes| classes.get(class)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS.iter().position(|bound| micros <= *bound).unwrap_or(BUCKETS.len());
        if let Some(count) = self.first_byte.get(bucket) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.first_byte_sum_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Counts a request to one of the gateway's own endpoints.
    pub(crate) fn count_other_response(&self) {
        self.other_responses.fetch_add(1, Ordering::Relaxed);
    }

    /// Formats all counters as text in the format of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        append_metadata(&mut text, "turnwise_requests_total", "counter", "Requests answered, by API and status.");
        for (api, classes) in WireApi::ALL.iter().zip(&self.requests) {
            for (class, count) in (2..).zip(classes) {
                let count = count.load(Ordering::Relaxed);
                let _ = writeln!(text, "turnwise_requests_total{{api=\"{api}\",status=\"{class}xx\"}} {count}");
            }
        }
        let other_responses = self.other_responses.load(Ordering::Relaxed);
        let _ = writeln!(text, "turnwise_requests_total{{api=\"none\",status=\"all\"}} {other_responses}");
        let name = "turnwise_first_byte_seconds";
        append_metadata(
            &mut text,
            name,
            "histogram",
            "From a request to the first byte of its answer, the provider's time included.",
        );
        let mut cumulative = 0;
        for (bound, count) in BUCKETS.iter().zip(&self.first_byte) {
            cumulative += count.load(Ordering::Relaxed);
            let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {cumulative}", seconds(*bound));
        }
        cumulative += self.first_byte.last().map_or(0, |count| count.load(Ordering::Relaxed));
        let sum = seconds(self.first_byte_sum_micros.load(Ordering::Relaxed));
        let _ =
            writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {cumulative}\n{name}_sum {sum}\n{name}_count {cumulative}");
        text
    }
}

/// Appends the `HELP` and `TYPE` lines of a metric. `kind` is its Prometheus type, such as `counter`; `about` is the
/// help text.
pub(crate) fn append_metadata(text: &mut String, name: &str, kind: &str, about: &str) {
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

/// Formats microseconds as decimal seconds without rounding.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contracts::WireApi;

    use super::Metrics;

    /// Every counter appears in the text, and a time above all bounds only in the bucket `+Inf`.
    #[test]
    fn what_was_counted_stands_in_the_text() {
        let metrics = Metrics::default();
        metrics.count_response(WireApi::AnthropicMessages, 200, Duration::from_micros(240));
        metrics.count_response(WireApi::AnthropicMessages, 529, Duration::from_secs(400));
        metrics.count_other_response();
        let text = metrics.text();
        for line in [
            "turnwise_requests_total{api=\"anthropic_messages\",status=\"2xx\"} 1",
            "turnwise_requests_total{api=\"anthropic_messages\",status=\"5xx\"} 1",
            "turnwise_requests_total{api=\"none\",status=\"all\"} 1",
            "turnwise_first_byte_seconds_bucket{le=\"0.00025\"} 1",
            "turnwise_first_byte_seconds_bucket{le=\"300\"} 1",
            "turnwise_first_byte_seconds_bucket{le=\"+Inf\"} 2",
            "turnwise_first_byte_seconds_sum 400.00024",
            "turnwise_first_byte_seconds_count 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
