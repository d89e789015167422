//! Hashes of ids, and reproducible random numbers.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng as _, SeedableRng as _},
};
use sha2::{Digest as _, Sha256};

/// Returns the first 64 bits of the SHA-256 hash of `purpose` followed by `id`. Different purposes yield independent
/// numbers for the same id.
pub(crate) fn hash(purpose: &str, id: &str) -> u64 {
    let digest = Sha256::new().chain_update(purpose).chain_update(id).finalize();
    digest.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// A generator of pseudo-random numbers. The published intervals depend on its algorithm.
#[derive(Debug, Clone)]
pub(crate) struct Random(SplitMix64);

impl Random {
    /// Creates a generator whose sequence is determined by `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::seed_from_u64(seed))
    }

    /// Returns a number below `bound`, which must be at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The upper half of the product: the bias is negligible for bounds this small.
        let product = u128::from(self.0.next_u64()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }
}
