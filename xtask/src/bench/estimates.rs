//! Reads the estimates that criterion writes to its folder of results.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// The measured duration of one benchmark in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measurement {
    /// The median of all samples.
    pub(super) median: f64,
    /// The 95 % confidence interval of the median.
    pub(super) interval: (f64, f64),
}

/// The fields of `estimates.json` that are used; times in nanoseconds.
#[derive(Deserialize)]
struct Estimates {
    /// The median of all samples.
    median: Estimate,
}

/// A statistic of criterion with its confidence interval.
#[derive(Deserialize)]
struct Estimate {
    /// The value of the statistic.
    point_estimate: f64,
    /// The 95 % confidence interval, which is criterion's default.
    confidence_interval: Interval,
}

/// The bounds of a confidence interval.
#[derive(Deserialize)]
struct Interval {
    /// The lower bound.
    lower_bound: f64,
    /// The upper bound.
    upper_bound: f64,
}

/// The fields of `benchmark.json` that are used.
#[derive(Deserialize)]
struct Benchmark {
    /// The name of the benchmark with its group, such as `group/name`.
    full_id: String,
}

/// Reads all results of criterion in the folder `results`, which has one subfolder per crate. The keys of the result
/// are crate and benchmark, as `crate: benchmark`. Fails if a file cannot be read or parsed.
pub(super) fn read_measurements(results: &Path) -> Outcome<BTreeMap<String, Measurement>> {
    let mut measurements = BTreeMap::new();
    for path in workspace::list_files(results)? {
        if !path.ends_with("new/estimates.json") {
            continue;
        }
        let package = path.strip_prefix(results).ok().and_then(|path| path.iter().next()).unwrap_or_default();
        let Benchmark { full_id } = read_json(&path.with_file_name("benchmark.json"))?;
        let Estimates { median } = read_json(&path)?;
        let interval = median.confidence_interval;
        measurements.insert(
            format!("{}: {full_id}", package.display()),
            Measurement { median: median.point_estimate, interval: (interval.lower_bound, interval.upper_bound) },
        );
    }
    Ok(measurements)
}

/// Reads and parses a JSON file; the failure names its path.
fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Outcome<T> {
    serde_json::from_str(&workspace::read_file(path)?).map_err(|error| Failure::file("read", path, &error))
}
