//! How much two sets have in common, in billionths.

use contracts::Score;

/// The largest union in the table; nearly every one is smaller, and the table stays in the fastest cache.
const LARGEST: usize = 32;

/// `TABLE[union][common]` is `common / union` in billionths, rounded down.
static TABLE: [[u32; LARGEST + 1]; LARGEST + 1] = table();

#[expect(clippy::cast_possible_truncation, reason = "at most a billion, which fits 32 bits")]
const fn table() -> [[u32; LARGEST + 1]; LARGEST + 1] {
    let mut table = [[0; LARGEST + 1]; LARGEST + 1];
    let mut union = 1;
    while union <= LARGEST {
        let mut common = 0;
        while common <= union {
            table[union][common] = (common as u64 * Score::ONE.0 / union as u64) as u32;
            common += 1;
        }
        union += 1;
    }
    // Two empty sets are equal.
    table[0][0] = Score::ONE.0 as u32;
    table
}

/// The size of the intersection over the size of the union; two empty sets have everything in common (004 §5.5
/// leaves it open, the earlier implementation decided it so).
pub(crate) fn jaccard(common: u32, union: u32) -> u64 {
    let entry = TABLE.get(union as usize).and_then(|row| row.get(common as usize));
    match entry {
        Some(billionths) => u64::from(*billionths),
        None => Score::ratio(u64::from(common), u64::from(union)).0,
    }
}

/// [`jaccard`] of two small sets of bits.
pub(crate) fn jaccard_bits(one: u8, other: u8) -> u64 {
    jaccard((one & other).count_ones(), (one | other).count_ones())
}
