//! Strings as bits, so that two sets of strings compare in a few instructions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// So many values have a bit of their own; later ones share the last bit of 128.
const OWN_BITS: usize = 127;

/// The values seen in one feature of a workspace, each with the number of its bit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vocabulary(BTreeMap<String, u8>);

/// A set of values as bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bits {
    /// The bits of its values.
    pub(crate) mask: u128,
    /// Values in the set, those without a bit included.
    pub(crate) size: u16,
}

impl Vocabulary {
    /// The number of a value, from 1, given to it when it is new; 128 for all that came too late for one of their own.
    pub(crate) fn number(&mut self, value: &str) -> u8 {
        if self.0.len() < OWN_BITS && !self.0.contains_key(value) {
            // Fits, being less than 127.
            self.0.insert(value.to_owned(), u8::try_from(self.0.len()).unwrap_or(u8::MAX));
        }
        self.find(value)
    }

    /// The number of a value, from 1; 0 for one that was never seen.
    pub(crate) fn find(&self, value: &str) -> u8 {
        match self.0.get(value) {
            Some(number) => number + 1,
            None if self.0.len() < OWN_BITS => 0,
            None => 128,
        }
    }

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
        let mut unseen = 0_u16;
        for value in values {
            match self.0.get(value) {
                Some(bit) => bits.mask |= 1 << (bit & 127),
                None if self.0.len() < OWN_BITS => unseen = unseen.saturating_add(1),
                None => bits.mask |= 1 << OWN_BITS,
            }
        }
        // At most 128, which fits.
        bits.size = u16::try_from(bits.mask.count_ones()).unwrap_or(u16::MAX).saturating_add(unseen);
        bits
    }
}
