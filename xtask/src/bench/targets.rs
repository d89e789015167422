//! Targets of the benchmarks.

use std::collections::BTreeMap;

use super::estimates::Measured;

/// The maximum duration of a benchmark.
pub(super) enum Limit {
    /// In nanoseconds.
    Nanoseconds(f64),
    /// As a multiple of another benchmark.
    Times(f64, &'static str),
}

/// Targets by name of the benchmark. A name that ends with a space is a prefix.
pub(super) const TARGETS: &[(&str, Limit)] = &[
    ("router-core: decision with 100 mixed rules/message of 297 bytes", Limit::Nanoseconds(10_000.0)),
    ("engine: decision/100 rules, 0 fingerprints", Limit::Nanoseconds(10_000.0)),
    ("engine: decision/100 rules, 1000 fingerprints", Limit::Nanoseconds(50_000.0)),
    ("router-core: regex rules: phrases/1000", Limit::Times(5.0, "router-core: regex rules: phrases/10")),
    (
        "router-core: regex rules: words whatever their case/1000",
        Limit::Times(5.0, "router-core: regex rules: words whatever their case/10"),
    ),
    (
        "router-core: regex rules: two texts far apart/1000",
        Limit::Times(5.0, "router-core: regex rules: two texts far apart/10"),
    ),
    (
        "router-core: regex rules: without a literal/1000",
        Limit::Times(5.0, "router-core: regex rules: without a literal/10"),
    ),
    // 150 MB of session files per second.
    ("transcripts: read/claude-code, ", Limit::Nanoseconds(1_020_000.0 / 0.150)),
    // 100,000 turns per second.
    ("what-if: past/backtest ", Limit::Nanoseconds(1_080.0 * 10_000.0)),
    ("router-core: policy of 100 rules/parse ", Limit::Nanoseconds(1_000_000.0)),
];

/// Returns the target of a benchmark and its index in the list.
pub(super) fn target(name: &str) -> Option<(usize, &'static Limit)> {
    let matches = |target: &str| name == target || (target.ends_with(' ') && name.starts_with(target));
    let index = TARGETS.iter().position(|(target, _)| matches(target))?;
    TARGETS.get(index).map(|(_, limit)| (index, limit))
}

/// Returns the target of a benchmark as text, and whether it was met.
pub(super) fn verdict(name: &str, measured: &BTreeMap<String, Measured>) -> (String, &'static str) {
    let Some((_, limit)) = target(name) else {
        return ("-".to_owned(), "-");
    };
    let median = |name: &str| measured.get(name).map(|measured| measured.median);
    let (target, most) = match limit {
        Limit::Nanoseconds(most) => (format!("at most {}", super::page::time(*most)), Some(*most)),
        Limit::Times(times, other) => {
            let most = median(other).map(|other| other * times);
            let limit = most.map_or_else(|| "not measured".to_owned(), super::page::time);
            (format!("at most {times} × `{}` = {limit}", other.split_once(": ").map_or(*other, |(_, name)| name)), most)
        }
    };
    let met = match (median(name), most) {
        (Some(median), Some(most)) if median <= most => "met",
        (Some(_), Some(_)) => "**missed**",
        _ => "not measured",
    };
    (target, met)
}
