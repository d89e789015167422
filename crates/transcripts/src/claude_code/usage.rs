//! Combines the usage that several lines of one call report.

use contracts::Usage;

/// Returns the maximum of each count. Several lines of one call report its usage, of which early ones are incomplete.
pub(super) fn largest(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.max(other.input),
        cache_read: one.cache_read.max(other.cache_read),
        cache_write_5m: one.cache_write_5m.max(other.cache_write_5m),
        cache_write_1h: one.cache_write_1h.max(other.cache_write_1h),
        output: one.output.max(other.output),
    }
}
