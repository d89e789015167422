//! A set of 16-bit hashes.

/// The number of 64-bit blocks that hold one bit for each 16-bit hash.
const BLOCKS: usize = (1 << 16) / 64;

/// A set of 16-bit hashes: a bit mask of 8 KiB without heap allocation.
pub(super) struct HashSet16([u64; BLOCKS]);

impl HashSet16 {
    /// Creates an empty set.
    pub(super) const fn new() -> Self {
        Self([0; BLOCKS])
    }

    /// Inserts a hash. Returns `true` if the set did not contain it yet.
    pub(super) const fn insert(&mut self, hash: u16) -> bool {
        let block = &mut self.0[hash as usize / 64];
        let bit = 1 << (hash % 64);
        let is_new = *block & bit == 0;
        *block |= bit;
        is_new
    }
}
