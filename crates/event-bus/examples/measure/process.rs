//! Resource usage of this process.

use std::fs;

/// Returns the processor time of all threads of this process in microseconds, with a resolution of a hundredth of a
/// second; 0 if `/proc` cannot be read.
pub(crate) fn processor_micros() -> u64 {
    // The 14th and 15th fields, after a name in brackets: hundredths of a second.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    after.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10_000
}

/// Returns the maximum resident memory of this process so far, in MB; 0 if `/proc` cannot be read.
pub(crate) fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|figure| figure.parse::<u64>().ok()).unwrap_or_default() / 1_000
}
