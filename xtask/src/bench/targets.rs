//! The targets of the benchmarks.

use std::collections::BTreeMap;

use super::estimates::Measurement;

/// The longest accepted duration of a benchmark.
pub(super) enum Limit {
    /// A duration in nanoseconds.
    Nanoseconds(f64),
    /// A multiple of the duration of another benchmark, given by its name.
    Times(f64, &'static str),
}

/// The limit of each benchmark, by name. A name that ends with a space is a prefix of several names.
pub(super) const TARGETS: &[(&str, Limit)] = &[
    ("router-core: decision with 100 mixed rules/message of 297 bytes", Limit::Nanoseconds(10_000.0)),
    ("engine: decision/100 rules, 0 fingerprints", Limit::Nanoseconds(10_000.0)),
    ("engine: decision/100 rules, 1000 fingerprints", Limit::Nanoseconds(50_000.0)),
    ("router-core: regex rules: phrases/200", Limit::Times(5.0, "router-core: regex rules: phrases/10")),
    (
        "router-core: regex rules: words whatever their case/200",
        Limit::Times(5.0, "router-core: regex rules: words whatever their case/10"),
    ),
    (
        "router-core: regex rules: two texts far apart/200",
        Limit::Times(5.0, "router-core: regex rules: two texts far apart/10"),
    ),
    (
        "router-core: regex rules: without a literal/200",
        Limit::Times(5.0, "router-core: regex rules: without a literal/10"),
    ),
    ("skills: decision of 2 kB, keyword/200", Limit::Nanoseconds(150_000.0)),
    ("skills: decision of 2 kB, keyword/2000", Limit::Times(2.0, "skills: decision of 2 kB, keyword/200")),
    ("skills: decision of 2 kB, no keyword/200", Limit::Nanoseconds(150_000.0)),
    ("skills: decision of 2 kB, no keyword/2000", Limit::Times(2.0, "skills: decision of 2 kB, no keyword/200")),
    // 150 MB of session files per second.
    ("transcripts: read/claude-code, ", Limit::Nanoseconds(1_020_000.0 / 0.150)),
    // 100,000 turns per second.
    ("what-if: past/backtest ", Limit::Nanoseconds(1_080.0 * 10_000.0)),
    ("router-core: policy of 100 rules/parse ", Limit::Nanoseconds(1_000_000.0)),
    ("skills: rank/200 skills, ", Limit::Nanoseconds(150_000.0)),
    ("skill-files: skills/read 2000 files", Limit::Nanoseconds(1_000_000_000.0)),
    ("skill-files: skills/read 2000 unchanged files", Limit::Nanoseconds(30_000_000.0)),
    ("skill-files: skills/decode the cache of 2000 files and read them", Limit::Nanoseconds(30_000_000.0)),
];

/// Returns the limit of a benchmark and its index in [`TARGETS`]; `None` if it has no limit.
pub(super) fn target(name: &str) -> Option<(usize, &'static Limit)> {
    let matches = |target: &str| name == target || (target.ends_with(' ') && name.starts_with(target));
    let index = TARGETS.iter().position(|(target, _)| matches(target))?;
    TARGETS.get(index).map(|(_, limit)| (index, limit))
}

/// Returns the limit of a benchmark as text, and whether the result in `measured` meets it: "met", "**missed**", "not
/// measured", or "-" without a limit.
pub(super) fn verdict(name: &str, measured: &BTreeMap<String, Measurement>) -> (String, &'static str) {
    let Some((_, limit)) = target(name) else {
        return ("-".to_owned(), "-");
    };
    let median = |name: &str| measured.get(name).map(|measured| measured.median);
    let (target, limit_ns) = match limit {
        Limit::Nanoseconds(limit_ns) => {
            (format!("at most {}", super::page::format_duration(*limit_ns)), Some(*limit_ns))
        }
        Limit::Times(factor, other_name) => {
            let limit_ns = median(other_name).map(|other_median| other_median * factor);
            let limit = limit_ns.map_or_else(|| "not measured".to_owned(), super::page::format_duration);
            (
                format!(
                    "at most {factor} × `{}` = {limit}",
                    other_name.split_once(": ").map_or(*other_name, |(_, name)| name)
                ),
                limit_ns,
            )
        }
    };
    let outcome = match (median(name), limit_ns) {
        (Some(median), Some(limit_ns)) if median <= limit_ns => "met",
        (Some(_), Some(_)) => "**missed**",
        _ => "not measured",
    };
    (target, outcome)
}
