//! The table of gateway measurements with their targets.

use std::{fmt::Write as _, time::Duration};

use super::load::LoadFigures;

/// The longest latency that may be added to a stream, in microseconds. It detects Nagle's algorithm, which adds 40 ms.
pub(super) const STREAM_LIMIT: f64 = 1_000.0;

/// The longest start of the gateway, in milliseconds.
const MAX_READY_MS: f64 = 300.0;

/// One row of the table of gateway measurements, as formatted text.
pub(super) struct Row {
    /// The load and the measured quantity.
    name: String,
    /// The quantity without the gateway.
    direct: String,
    /// The quantity through the gateway.
    via_gateway: String,
    /// The value that is compared with the target.
    value: String,
    /// The target as text; `-` without one.
    target: String,
    /// `met`, `**missed**`, `not measured`, or `-` without a target.
    verdict: &'static str,
}

/// The results of each round: directly, and through the gateway.
type Rounds = [(LoadFigures, LoadFigures)];

/// Returns the median over all rounds of the value that `figure` returns; NaN without a round.
fn median(rounds: &Rounds, figure: impl Fn(&(LoadFigures, LoadFigures)) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the text for a target that is met or missed.
const fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**missed**" }
}

/// Formats a time in microseconds, rounded.
fn microseconds(time: f64) -> String {
    format!("{time:.0} µs")
}

impl Row {
    /// Creates a row with the median latency that the gateway adds until the last byte. `limit` is in microseconds,
    /// infinite without a target.
    pub(super) fn added(name: &str, rounds: &Rounds, limit: f64) -> Self {
        Self::latency(name, rounds, limit, |figures| figures.median)
    }

    /// Creates a row with the median latency that the gateway adds until the first byte; the target is
    /// [`STREAM_LIMIT`].
    pub(super) fn first_byte(name: &str, rounds: &Rounds) -> Self {
        Self::latency(name, rounds, STREAM_LIMIT, |figures| figures.first_byte)
    }

    /// Creates a row with the median latency that the gateway adds. `select` returns the measured time in microseconds.
    /// `limit` is the target in microseconds, infinite without one.
    fn latency(name: &str, rounds: &Rounds, limit: f64, select: impl Fn(&LoadFigures) -> f64) -> Self {
        let added_micros = median(rounds, |(direct, via_gateway)| select(via_gateway) - select(direct));
        let has_target = limit.is_finite();
        Self {
            name: name.to_owned(),
            direct: microseconds(median(rounds, |(direct, _)| select(direct))),
            via_gateway: microseconds(median(rounds, |(_, via_gateway)| select(via_gateway))),
            value: format!("{added_micros:+.0} µs"),
            target: if has_target { format!("at most +{}", microseconds(limit)) } else { "-".to_owned() },
            verdict: if has_target { verdict(added_micros <= limit) } else { "-" },
        }
    }

    /// Creates a row with the processor time of the gateway per request. `limit` is the target in microseconds,
    /// infinite without one.
    pub(super) fn processor(name: &str, rounds: &Rounds, limit: f64) -> Self {
        let time = median(rounds, |(_, via_gateway)| via_gateway.processor);
        let has_target = limit.is_finite();
        Self {
            name: name.to_owned(),
            direct: "-".to_owned(),
            via_gateway: microseconds(time),
            value: microseconds(time),
            target: if has_target { format!("at most {}", microseconds(limit)) } else { "-".to_owned() },
            // Without /proc the load generator reports 0.
            verdict: match time {
                0.0 => "not measured",
                _ if has_target => verdict(time <= limit),
                _ => "-",
            },
        }
    }

    /// Creates a row with the number of requests per second; `minimum` is the target.
    pub(super) fn rate(name: &str, rounds: &Rounds, minimum: f64) -> Self {
        let rate = median(rounds, |(_, via_gateway)| via_gateway.rps);
        let p99 = median(rounds, |(_, via_gateway)| via_gateway.p99);
        Self {
            name: format!("{name} (99 % within {})", microseconds(p99)),
            direct: format!("{:.0}/s", median(rounds, |(direct, _)| direct.rps)),
            via_gateway: format!("{rate:.0}/s"),
            value: format!("{rate:.0}/s"),
            target: format!("at least {minimum:.0}/s"),
            verdict: verdict(rate >= minimum),
        }
    }

    /// Creates a row with the resident memory after the requests and a pause, and with the peak during them. `limit` is
    /// in megabytes.
    pub(super) fn memory(name: &str, under_load: &LoadFigures, idle: &LoadFigures, limit: f64) -> Self {
        let memory = idle.resident_kb / 1024.0;
        let peak = under_load.most_resident_kb / 1024.0;
        Self {
            name: format!("{name} after {} requests (peak {peak:.1} MB)", under_load.requests),
            direct: "-".to_owned(),
            via_gateway: format!("{memory:.1} MB"),
            value: format!("{memory:.1} MB"),
            target: format!("below {limit:.0} MB"),
            verdict: if memory > 0.0 { verdict(memory < limit) } else { "not measured" },
        }
    }

    /// Creates a row with the time from the start of the process until it listens; the target is [`MAX_READY_MS`].
    pub(super) fn ready(name: &str, duration: Duration) -> Self {
        let duration = duration.as_secs_f64() * 1_000.0;
        Self {
            name: name.to_owned(),
            direct: "-".to_owned(),
            via_gateway: format!("{duration:.0} ms"),
            value: format!("{duration:.0} ms"),
            target: format!("below {MAX_READY_MS:.0} ms"),
            verdict: verdict(duration < MAX_READY_MS),
        }
    }
}

/// Formats rows of gateway measurements as a Markdown table.
pub(super) fn format_table(rows: &[Row]) -> String {
    let mut text =
        "| what | directly | through turnwise | figure | target | |\n| --- | --: | --: | --: | --- | --- |\n"
            .to_owned();
    for Row { name, direct, via_gateway, value, target, verdict } in rows {
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "| {name} | {direct} | {via_gateway} | {value} | {target} | {verdict} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns figures whose times are all `time`, in microseconds.
    fn figures(time: f64) -> LoadFigures {
        let line = format!(
            r#"{{"requests":1,"errors":0,"first_error":null,"rps":9999.0,"p50_us":{time},"p99_us":{time},
                "first_byte_p50_us":{time},"cpu_us_per_request":{time},"rss_kb":61440,"most_rss_kb":71680}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn target_is_compared_with_the_median_of_the_rounds() {
        let rounds = [(30.0, 180.0), (31.0, 900.0), (30.0, 150.0)].map(|(one, other)| (figures(one), figures(other)));
        let table = format_table(&[
            Row::added("added", &rounds, 150.0),
            Row::processor("time", &rounds, 120.0),
            Row::rate("rate", &rounds, 10_000.0),
            Row::memory("memory", &rounds[0].0, &rounds[0].1, 60.0),
            Row::ready("ready", Duration::from_millis(20)),
        ]);
        let lines: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| added | 30 µs | 180 µs | +150 µs | at most +150 µs | met |",
                "| time | - | 180 µs | 180 µs | at most 120 µs | **missed** |",
                "| rate (99 % within 180 µs) | 9999/s | 9999/s | 9999/s | at least 10000/s | **missed** |",
                "| memory after 1 requests (peak 70.0 MB) | - | 60.0 MB | 60.0 MB | below 60 MB | **missed** |",
                "| ready | - | 20 ms | 20 ms | below 300 ms | met |",
            ]
        );
    }
}
