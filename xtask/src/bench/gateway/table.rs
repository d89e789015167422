//! The table of gateway measurements with their targets.

use std::{fmt::Write as _, time::Duration};

use super::load::Figures;

/// The latency that may be added to a stream, in microseconds. It exists to detect Nagle's algorithm, which adds 40 ms.
pub(super) const STREAM_LIMIT: f64 = 1_000.0;

/// The longest start, in milliseconds.
const READY: f64 = 300.0;

/// One row of the table of gateway measurements, with formatted cells.
pub(super) struct Row {
    what: String,
    direct: String,
    through: String,
    figure: String,
    target: String,
    met: &'static str,
}

type Rounds = [(Figures, Figures)];

/// The median of a figure over all rounds.
fn median(rounds: &Rounds, figure: impl Fn(&(Figures, Figures)) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

const fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "**missed**" }
}

fn microseconds(time: f64) -> String {
    format!("{time:.0} µs")
}

impl Row {
    /// The median latency that the gateway adds until the last byte; `most` in microseconds.
    pub(super) fn added(what: &str, rounds: &Rounds, most: f64) -> Self {
        Self::latency(what, rounds, most, |figures| figures.median)
    }

    /// The row of the median latency that the gateway adds until the first byte.
    pub(super) fn first_byte(what: &str, rounds: &Rounds) -> Self {
        Self::latency(what, rounds, STREAM_LIMIT, |figures| figures.first_byte)
    }

    fn latency(what: &str, rounds: &Rounds, most: f64, of: impl Fn(&Figures) -> f64) -> Self {
        let added = median(rounds, |(direct, through)| of(through) - of(direct));
        let has_target = most.is_finite();
        Self {
            what: what.to_owned(),
            direct: microseconds(median(rounds, |(direct, _)| of(direct))),
            through: microseconds(median(rounds, |(_, through)| of(through))),
            figure: format!("{added:+.0} µs"),
            target: if has_target { format!("at most +{}", microseconds(most)) } else { "-".to_owned() },
            met: if has_target { verdict(added <= most) } else { "-" },
        }
    }

    /// The processor time of the gateway per request; `most` in microseconds, infinite without a target.
    pub(super) fn processor(what: &str, rounds: &Rounds, most: f64) -> Self {
        let time = median(rounds, |(_, through)| through.processor);
        let has_target = most.is_finite();
        Self {
            what: what.to_owned(),
            direct: "-".to_owned(),
            through: microseconds(time),
            figure: microseconds(time),
            target: if has_target { format!("at most {}", microseconds(most)) } else { "-".to_owned() },
            // Without /proc the load generator reports 0.
            met: match time {
                0.0 => "not measured",
                _ if has_target => verdict(time <= most),
                _ => "-",
            },
        }
    }

    /// The row of a throughput; `least` is the target in requests per second.
    pub(super) fn rate(what: &str, rounds: &Rounds, least: f64) -> Self {
        let rate = median(rounds, |(_, through)| through.rps);
        let p99 = median(rounds, |(_, through)| through.p99);
        Self {
            what: format!("{what} (99 % within {})", microseconds(p99)),
            direct: format!("{:.0}/s", median(rounds, |(direct, _)| direct.rps)),
            through: format!("{rate:.0}/s"),
            figure: format!("{rate:.0}/s"),
            target: format!("at least {least:.0}/s"),
            met: verdict(rate >= least),
        }
    }

    /// Resident memory in megabytes after the requests and a pause, with the peak during them.
    pub(super) fn memory(what: &str, under_load: &Figures, idle: &Figures, most: f64) -> Self {
        let memory = idle.resident_kb / 1024.0;
        let peak = under_load.most_resident_kb / 1024.0;
        Self {
            what: format!("{what} after {} requests (peak {peak:.1} MB)", under_load.requests),
            direct: "-".to_owned(),
            through: format!("{memory:.1} MB"),
            figure: format!("{memory:.1} MB"),
            target: format!("below {most:.0} MB"),
            met: if memory > 0.0 { verdict(memory < most) } else { "not measured" },
        }
    }

    /// The time from the start of the process to its listening address.
    pub(super) fn ready(what: &str, took: Duration) -> Self {
        let took = took.as_secs_f64() * 1_000.0;
        Self {
            what: what.to_owned(),
            direct: "-".to_owned(),
            through: format!("{took:.0} ms"),
            figure: format!("{took:.0} ms"),
            target: format!("below {READY:.0} ms"),
            met: verdict(took < READY),
        }
    }
}

/// Formats the rows as a Markdown table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text =
        "| what | directly | through turnwise | figure | target | |\n| --- | --: | --: | --: | --- | --- |\n"
            .to_owned();
    for Row { what, direct, through, figure, target, met } in rows {
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "| {what} | {direct} | {through} | {figure} | {target} | {met} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures whose times are all the same.
    fn figures(time: f64) -> Figures {
        let line = format!(
            r#"{{"requests":1,"errors":0,"first_error":null,"rps":9999.0,"p50_us":{time},"p99_us":{time},
                "first_byte_p50_us":{time},"cpu_us_per_request":{time},"rss_kb":61440,"most_rss_kb":71680}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    #[test]
    fn target_is_compared_with_the_median_of_the_rounds() {
        let rounds = [(30.0, 180.0), (31.0, 900.0), (30.0, 150.0)].map(|(one, other)| (figures(one), figures(other)));
        let table = table(&[
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
