//! Hashes of ids, and reproducible random numbers.

use sha2::{Digest as _, Sha256};

/// Returns the first 64 bits of the SHA-256 hash of `purpose` followed by `id`. Different purposes yield independent
/// numbers for the same id.
pub(crate) fn hash(purpose: &str, id: &str) -> u64 {
    let digest = Sha256::new().chain_update(purpose).chain_update(id).finalize();
    digest.iter().take(8).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// The pseudo-random number generator `SplitMix64`; contains its state. The published intervals depend on its sequence.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns the next number of the sequence.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, which must be at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The upper half of the product: the bias is negligible for bounds this small.
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }
}
