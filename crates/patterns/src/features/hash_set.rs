//! A set of 16-bit hashes.

/// The number of 64-bit blocks for one bit for each hash.
const BLOCKS: usize = (1 << 16) / 64;

/// A set of 16-bit hashes as a bit mask on the stack.
pub(super) struct HashSet16([u64; BLOCKS]);

impl HashSet16 {
    pub(super) const fn new() -> Self {
        Self([0; BLOCKS])
    }

    /// Inserts a hash; `false` if the set has it already.
    pub(super) const fn insert(&mut self, hash: u16) -> bool {
        let block = &mut self.0[hash as usize / 64];
        let bit = 1 << (hash % 64);
        let is_new = *block & bit == 0;
        *block |= bit;
        is_new
    }
}
