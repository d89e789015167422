//! Sets of strings as bit masks, which are compared in a few instructions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number of values with a bit of their own; all later values share the last of 128 bits.
const OWN_BITS: usize = 127;

/// The strings that occur as values of one feature in a workspace, each with the index of its bit in a [`BitSet`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vocabulary(BTreeMap<String, u8>);

/// A set of values as a bit mask over a [`Vocabulary`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BitSet {
    /// One bit for each value of the vocabulary.
    pub(crate) mask: u128,
    /// The number of values, including those without a bit.
    pub(crate) size: u16,
}

impl Vocabulary {
    /// Returns the number of a value, from 1. A new value is added to the vocabulary while bits are left; values
    /// without a bit of their own have the number 128.
    pub(crate) fn intern(&mut self, value: &str) -> u8 {
        self.add(value);
        self.find_number(value)
    }

    /// Returns the number of a value, from 1. An unknown value has the number 0 if it could still be added, 128 if all
    /// bits are taken.
    pub(crate) fn find_number(&self, value: &str) -> u8 {
        match self.0.get(value) {
            Some(bit) => bit + 1,
            None if self.0.len() < OWN_BITS => 0,
            None => 128,
        }
    }

    /// Encodes a set of values as a bit mask, and adds new values to the vocabulary while bits are left. See
    /// [`encode_set`](Self::encode_set).
    pub(crate) fn intern_set(&mut self, values: &[String]) -> BitSet {
        for value in values {
            self.add(value);
        }
        self.encode_set(values)
    }

    /// Encodes a set of values as a bit mask, without a change to the vocabulary. An unknown value has no bit and only
    /// counts in the size, or shares the last bit if all others are taken.
    pub(crate) fn encode_set(&self, values: &[String]) -> BitSet {
        let mut set = BitSet::default();
        let mut unknown = 0_u16;
        for value in values {
            match self.0.get(value) {
                Some(bit) => set.mask |= 1 << (bit & 127),
                None if self.0.len() < OWN_BITS => unknown = unknown.saturating_add(1),
                None => set.mask |= 1 << OWN_BITS,
            }
        }
        // At most 128.
        set.size = u16::try_from(set.mask.count_ones()).unwrap_or(u16::MAX).saturating_add(unknown);
        set
    }

    /// Adds a value if it is new and a bit is left.
    fn add(&mut self, value: &str) {
        let next_bit = self.0.len();
        if next_bit < OWN_BITS && !self.0.contains_key(value) {
            // Below 127.
            self.0.insert(value.to_owned(), u8::try_from(next_bit).unwrap_or(u8::MAX));
        }
    }
}
