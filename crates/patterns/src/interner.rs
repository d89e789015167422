//! Interning: equal values are stored once and shared by reference counting.

use std::{collections::BTreeSet, sync::Arc};

/// The size of a pool below which unused values are not removed.
const MIN_CLEANUP: usize = 16;

/// A pool in which equal values are stored once and shared by reference counting. Values without a reference outside
/// the pool are removed each time the pool has doubled.
#[derive(Debug, Clone)]
pub(crate) struct Interner<T> {
    /// All shared values, including unused ones that were not removed yet.
    values: BTreeSet<Arc<T>>,
    /// The number of values at which unused ones are removed next.
    cleanup_at: usize,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: BTreeSet::new(), cleanup_at: MIN_CLEANUP }
    }
}

/// Always equal: a pool is a cache, so two projections with different pools have the same state.
impl<T> PartialEq for Interner<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Interner<T> {}

impl<T: Ord> Interner<T> {
    /// Returns the number of values in the pool, including unused ones that were not removed yet.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the pool's shared value that is equal to `value`. A new value is added to the pool.
    pub(crate) fn intern(&mut self, value: impl Into<Arc<T>>) -> Arc<T> {
        let value = value.into();
        if let Some(shared) = self.values.get(&value) {
            return Arc::clone(shared);
        }
        if self.cleanup_at <= self.values.len() {
            self.values.retain(|shared| 1 < Arc::strong_count(shared));
            self.cleanup_at = 2 * self.values.len() + MIN_CLEANUP;
        }
        self.values.insert(Arc::clone(&value));
        value
    }
}
