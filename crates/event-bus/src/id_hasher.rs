//! [`IdHasher`], a fast hasher for maps whose keys are event ids, which are hashes already.

use std::hash::Hasher;

/// Hashes an event id by multiplying its 32-bit words. Not resistant against ids chosen to collide.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let word = chunk.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
            self.write_u32(word);
        }
    }

    fn write_u32(&mut self, word: u32) {
        // Fibonacci hashing: the factor is 2^64 divided by the golden ratio, so similar words get distant hashes.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
