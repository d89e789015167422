//! Combines the usage that several lines of one call report.

use contracts::Usage;

/// Returns the maximum of each count of two usage reports of the same call. Early lines of a call have lower counts
/// than the last one.
pub(super) fn largest(first: &Usage, second: &Usage) -> Usage {
    Usage {
        input: first.input.max(second.input),
        cache_read: first.cache_read.max(second.cache_read),
        cache_write_5m: first.cache_write_5m.max(second.cache_write_5m),
        cache_write_1h: first.cache_write_1h.max(second.cache_write_1h),
        output: first.output.max(second.output),
    }
}
