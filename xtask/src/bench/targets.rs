//! What is to be reached.

use std::collections::BTreeMap;

use super::estimates::Measured;

/// The most a benchmark may take.
pub(super) enum Limit {
    /// So many nanoseconds.
    Nanoseconds(f64),
    /// So many times what another benchmark takes.
    Times(f64, &'static str),
}

/// Targets by the name of the benchmark; a name that ends with a space stands for every name that starts with it.
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
    // 150 MB of session files in a second.
    ("transcripts: read/claude-code, ", Limit::Nanoseconds(1_020_000.0 / 0.150)),
    // 100,000 turns in a second.
    ("what-if: past/backtest ", Limit::Nanoseconds(1_080.0 * 10_000.0)),
    ("router-core: policy of 100 rules/parse ", Limit::Nanoseconds(1_000_000.0)),
];

/// The target of a benchmark and its place in the list.
pub(super) fn target(name: &str) -> Option<(usize, &'static Limit)> {
    let stands_for = |target: &str| name == target || (target.ends_with(' ') && name.starts_with(target));
    let place = TARGETS.iter().position(|(target, _)| stands_for(target))?;
    TARGETS.get(place).map(|(_, limit)| (place, limit))
}

/// What the table says of a benchmark: its target, and whether it was met.
pub(super) fn verdict(name: &str, measured: &BTreeMap<String, Measured>) -> (String, &'static str) {
    let Some((_, limit)) = target(name) else {
        return ("-".to_owned(), "-");
    };
    let median = |name: &str| measured.get(name).map(|measured| measured.median);
    let (said, most) = match limit {
        Limit::Nanoseconds(most) => (format!("at most {}", super::page::time(*most)), Some(*most)),
        Limit::Times(times, other) => {
            let most = median(other).map(|other| other * times);
            let said = most.map_or_else(|| "not measured".to_owned(), super::page::time);
            (format!("at most {times} × `{}` = {said}", other.split_once(": ").map_or(*other, |(_, name)| name)), most)
        }
    };
    let met = match (median(name), most) {
        (Some(median), Some(most)) if median <= most => "met",
        (Some(_), Some(_)) => "**missed**",
        _ => "not measured",
    };
    (said, met)
}
