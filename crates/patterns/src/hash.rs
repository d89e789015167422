//! A mixing function for integers that is the same on every machine.

/// Hashes a number with one step of `SplitMix64`, so that consecutive numbers have unrelated hashes. Not cryptographic.
pub(crate) const fn mix_bits(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
