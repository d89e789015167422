//! A set of the numbers that words have.

/// Sixteen bits, as many as a number has, in words of sixty-four.
const BLOCKS: usize = (1 << 16) / 64;

/// Numbers, each with a bit of its own.
pub(super) struct Numbers([u64; BLOCKS]);

impl Numbers {
    pub(super) const fn none() -> Self {
        Self([0; BLOCKS])
    }

    /// Puts a number in; `false` when it is in already.
    pub(super) const fn insert(&mut self, number: u16) -> bool {
        let block = &mut self.0[number as usize / 64];
        let bit = 1 << (number % 64);
        let is_new = *block & bit == 0;
        *block |= bit;
        is_new
    }
}
