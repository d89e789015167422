//! [`WordTable`], which finds the term of a word that was seen before without computing it again.

use super::terms::term;

/// The number of slots at the start. It is doubled when half of them are used.
const FIRST_SLOTS: usize = 1 << 10;

/// The marker of an empty slot.
const EMPTY: u32 = u32::MAX;

/// The terms of words: an open-addressed hash table that only answers for single words, so that its order has no effect.
#[derive(Debug)]
pub(super) struct WordTable {
    /// The number of the word in each slot, or [`EMPTY`]. The number of slots is a power of two.
    slots: Vec<u32>,
    /// The words by number.
    words: Vec<KnownWord>,
    /// The letters of all words.
    letters: String,
}

/// A word that was seen.
#[derive(Debug, Clone, Copy)]
struct KnownWord {
    /// The hash of the word.
    hash: u64,
    /// The place of the word in the letters of all words.
    start: usize,
    /// The length in bytes.
    length: usize,
    /// The number of its term; `None` for a word without a term.
    term: Option<u32>,
}

impl WordTable {
    /// Creates an empty table.
    pub(super) fn new() -> Self {
        Self { slots: vec![EMPTY; FIRST_SLOTS], words: Vec::new(), letters: String::new() }
    }

    /// Returns the number of a word's term; `None` if the word has no term. `number` returns the number of a term and is
    /// called for words that were not seen before.
    pub(super) fn term_of(&mut self, word: &str, number: impl FnOnce(String) -> u32) -> Option<u32> {
        let hash = hash(word);
        let mut slot = self.first_slot(hash);
        // Ends, since at least half of the slots are empty.
        while let Some(known) = self.slots.get(slot).and_then(|number| self.words.get(*number as usize)) {
            if known.hash == hash && self.letters.get(known.start..known.start + known.length) == Some(word) {
                return known.term;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let term = term(word).map(number);
        let known = KnownWord { hash, start: self.letters.len(), length: word.len(), term };
        self.letters.push_str(word);
        if let (Some(slot), Ok(number)) = (self.slots.get_mut(slot), u32::try_from(self.words.len())) {
            *slot = number;
        }
        self.words.push(known);
        if self.slots.len() < 2 * self.words.len() {
            self.double();
        }
        term
    }

    /// Returns the slot at which the search for a hash starts.
    fn first_slot(&self, hash: u64) -> usize {
        usize::try_from(hash >> 32).unwrap_or_default() & (self.slots.len() - 1)
    }

    /// Doubles the number of slots.
    fn double(&mut self) {
        self.slots = vec![EMPTY; 2 * self.slots.len()];
        for number in 0..self.words.len() {
            let Some(known) = self.words.get(number) else { continue };
            let mut slot = self.first_slot(known.hash);
            while self.slots.get(slot).is_some_and(|number| *number != EMPTY) {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            if let (Some(slot), Ok(number)) = (self.slots.get_mut(slot), u32::try_from(number)) {
                *slot = number;
            }
        }
    }
}

/// Returns the 64-bit FNV-1a hash of a word, with its bits mixed.
fn hash(word: &str) -> u64 {
    let hash = word
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_word_has_the_term_that_is_computed_for_it() {
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut table = WordTable::new();
        let words: Vec<String> = (0..3_000).map(|number| format!("part{}s", number % 1_500)).collect();
        let mut computed = 0;
        for word in words.iter().map(String::as_str).chain(["the", "migrations", "migrate", "the", "größe"]) {
            let found = table.term_of(word, |term| {
                computed += 1;
                let next = u32::try_from(numbers.len()).unwrap();
                *numbers.entry(term).or_insert(next)
            });
            assert_eq!(found, term(word).map(|term| numbers[&term]), "{word}");
        }
        // Each different word once, and "the" is no term.
        assert_eq!(computed, 1_500 + 3);
    }
}
