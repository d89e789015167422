//! Strings as bits, so that two sets of strings compare in a few instructions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// So many values have a bit of their own; later ones share the last bit of 128.
const OWN_BITS: usize = 127;

/// The values seen in one feature of a workspace, each with the number of its bit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vocabulary(BTreeMap<String, u8>);

/// A set of values as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bits {
    pub(crate) mask: u128,
    /// Values in the set, those without a bit included.
    pub(crate) size: u32,
}

impl Vocabulary {
    /// The set as bits, giving a bit to every new value while there are any.
    pub(crate) fn learn(&mut self, values: &[String]) -> Bits {
        for value in values {
            let next = self.0.len();
            if next < OWN_BITS && !self.0.contains_key(value) {
                // Fits, being less than 127.
                self.0.insert(value.clone(), u8::try_from(next).unwrap_or(u8::MAX));
            }
        }
        self.pack(values)
    }

    /// The set as bits. A value never seen has no bit: it is in the set but in no other.
    pub(crate) fn pack(&self, values: &[String]) -> Bits {
        let mut bits = Bits::default();
        let mut unseen = 0;
        for value in values {
            match self.0.get(value) {
                Some(bit) => bits.mask |= 1 << (bit & 127),
                None if self.0.len() < OWN_BITS => unseen += 1,
                None => bits.mask |= 1 << OWN_BITS,
            }
        }
        bits.size = bits.mask.count_ones() + unseen;
        bits
    }
}

impl Bits {
    /// Values in both sets, and values in either.
    pub(crate) const fn overlap(&self, other: &Self) -> (u32, u32) {
        let common = (self.mask & other.mask).count_ones();
        (common, (self.size + other.size).saturating_sub(common))
    }
}
