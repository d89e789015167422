//! Reproducible pseudo-random numbers.

/// A linear congruential generator.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns at most `most` of `values` possible names that start with `prefix`, sorted and distinct.
    pub(crate) fn names(&mut self, prefix: &str, values: u64, most: u64) -> Vec<String> {
        let count = self.below(most + 1);
        let mut names: Vec<_> = (0..count).map(|_| format!("{prefix}{}", self.below(values))).collect();
        names.sort();
        names.dedup();
        names
    }
}
