//! [`Filter`], a Bloom filter: a set of keys that may report keys which it does not contain.

/// Number of bits for each key. About one in a hundred unknown keys is reported.
const BITS_PER_KEY: usize = 10;

/// Number of bits set for each key.
const BITS_SET: u32 = 5;

/// Number of 64-bit words in a block. All bits of a key are in one block, which is one line of the processor's cache.
const BLOCK_WORDS: usize = 8;

/// Combined with a key before the second hash, so that its bits are independent of those of the first.
const SECOND_HASH: u32 = 0x5bd1_e995;

/// A blocked Bloom filter of 32-bit keys: reports every key that it contains, and about one in a hundred others.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    /// The bits, in blocks of [`BLOCK_WORDS`].
    words: Vec<u64>,
}

impl Filter {
    /// Creates an empty filter with about ten bits for each of `keys` keys.
    pub(super) fn with_capacity(keys: usize) -> Self {
        let blocks = (keys * BITS_PER_KEY).div_ceil(64 * BLOCK_WORDS).max(1);
        Self { words: vec![0; blocks * BLOCK_WORDS] }
    }

    /// Adds a key.
    pub(super) fn insert(&mut self, key: u32) {
        let (block, bits) = self.block_and_bits(key);
        for (word, bit) in bits {
            self.words[block + word] |= bit;
        }
    }

    /// Returns whether the set may contain a key; false only if it does not.
    pub(super) fn may_contain(&self, key: u32) -> bool {
        let (block, mut bits) = self.block_and_bits(key);
        bits.all(|(word, bit)| self.words[block + word] & bit != 0)
    }

    /// Locates a key's bits, all of which are in one block. Returns the index of the block's first word, and for each bit the
    /// word within the block and the mask.
    fn block_and_bits(&self, key: u32) -> (usize, impl Iterator<Item = (usize, u64)> + use<>) {
        let hash = hash_key(key);
        let blocks = (self.words.len() / BLOCK_WORDS) as u64;
        let block = usize::try_from(((hash >> 32) * blocks) >> 32).unwrap_or(0) * BLOCK_WORDS;
        // Nine bits of another hash select one of the 512 bits of a block.
        let bits = hash_key(key ^ SECOND_HASH).rotate_left(13) ^ hash;
        let bit = move |number: u32| {
            let index = bits >> (9 * number) & 0x1ff;
            (usize::try_from(index / 64).unwrap_or(0), 1 << (index % 64))
        };
        (block, (0..BITS_SET).map(bit))
    }
}

/// Hashes a key to 64 bits. The constants are those of `SplitMix64`.
fn hash_key(key: u32) -> u64 {
    let hash = u64::from(key).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_inserted_key_is_reported_and_few_others_are() {
        let mut filter = Filter::with_capacity(50_000);
        (0..50_000).for_each(|key| filter.insert(key));
        assert!((0..50_000).all(|key| filter.may_contain(key)));
        let others = (1_000_000..1_100_000).filter(|key| filter.may_contain(*key)).count();
        assert!(others < 2_500, "{others} of 100,000");
        assert!(!Filter::with_capacity(0).may_contain(7));
    }
}
