//! Combines the usage that several lines of one call report.

use contracts::Usage;

/// Returns the maximum of each count of two usage reports of the same call. Early lines of a call have lower counts
/// than the last one.
pub(super) fn largest(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.max(other.input),
        cache_read: one.cache_read.max(other.cache_read),
        cache_write_5m: one.cache_write_5m.max(other.cache_write_5m),
        cache_write_1h: one.cache_write_1h.max(other.cache_write_1h),
        output: one.output.max(other.output),
    }
}
