//! Reproducible pseudo-random numbers for the benchmarks.

/// A linear congruential generator; the field is its state, at first the seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// Returns the next number, from 0 up to `bound`, which is excluded.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns up to `most` names, sorted and distinct, each `prefix` with a number below `values`.
    pub(crate) fn names(&mut self, prefix: &str, values: u64, most: u64) -> Vec<String> {
        let count = self.below(most + 1);
        let mut names: Vec<_> = (0..count).map(|_| format!("{prefix}{}", self.below(values))).collect();
        names.sort();
        names.dedup();
        names
    }
}
