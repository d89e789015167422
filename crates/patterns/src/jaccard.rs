//! The Jaccard index of two sets: the size of their intersection divided by the size of their union.

use contracts::Score;

/// The largest union in the table. Larger unions are rare, and the table fits the first-level cache.
const MAX_UNION: usize = 32;

/// `RATIOS[union][common]` is `common / union` in billionths, rounded down.
static RATIOS: [[u32; MAX_UNION + 1]; MAX_UNION + 1] = compute_ratios();

/// Computes the table of Jaccard indexes, [`RATIOS`], at compile time. Entries whose intersection would be greater than
/// the union are 0.
#[expect(clippy::cast_possible_truncation, reason = "a billion fits 32 bits")]
const fn compute_ratios() -> [[u32; MAX_UNION + 1]; MAX_UNION + 1] {
    let mut ratios = [[0; MAX_UNION + 1]; MAX_UNION + 1];
    let mut union = 1;
    while union <= MAX_UNION {
        let mut common = 0;
        while common <= union {
            ratios[union][common] = (common as u64 * Score::ONE.0 / union as u64) as u32;
            common += 1;
        }
        union += 1;
    }
    // Two empty sets are equal.
    ratios[0][0] = Score::ONE.0 as u32;
    ratios
}

/// Returns the Jaccard index in billionths for an intersection of `common` and a union of `union` values; 1 for two
/// empty sets.
pub(crate) fn jaccard_index(common: u32, union: u32) -> u64 {
    let entry = RATIOS.get(union as usize).and_then(|row| row.get(common as usize));
    match entry {
        Some(billionths) => u64::from(*billionths),
        None => Score::ratio(u64::from(common), u64::from(union)).0,
    }
}

/// Returns the Jaccard index in billionths of two sets of at most eight values, given as bit masks.
pub(crate) fn jaccard_index_of_masks(left: u8, right: u8) -> u64 {
    jaccard_index((left & right).count_ones(), (left | right).count_ones())
}
