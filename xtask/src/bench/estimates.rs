//! Reads the estimates that criterion writes to its results folder.

use std::{collections::BTreeMap, path::Path};

use serde::Deserialize;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// The duration of one benchmark in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub(super) median: f64,
    /// The 95 % confidence interval of the median.
    pub(super) interval: (f64, f64),
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

/// Reads all estimates below `results`, which has one folder per crate. Keys are `crate: benchmark`.
pub(super) fn collect(results: &Path) -> Outcome<BTreeMap<String, Measured>> {
    let mut measured = BTreeMap::new();
    for path in workspace::files(results)? {
        if !path.ends_with("new/estimates.json") {
            continue;
        }
        let package = path.strip_prefix(results).ok().and_then(|path| path.iter().next()).unwrap_or_default();
        let Benchmark { full_id } = read(&path.with_file_name("benchmark.json"))?;
        let Estimates { median } = read(&path)?;
        let interval = median.confidence_interval;
        measured.insert(
            format!("{}: {full_id}", package.display()),
            Measured { median: median.point_estimate, interval: (interval.lower_bound, interval.upper_bound) },
        );
    }
    Ok(measured)
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Outcome<T> {
    serde_json::from_str(&workspace::read(path)?).map_err(|error| Failure::file("read", path, &error))
}
