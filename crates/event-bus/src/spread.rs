//! [`Spread`], a hasher for event ids, which are hashes already.

use std::hash::Hasher;

/// A fast hasher that combines the words of an id by multiplication and rotation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
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
        // The golden ratio of 2^64, which separates adjacent values.
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
