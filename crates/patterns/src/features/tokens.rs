//! The words of a text: runs of letters and digits, in lower case.

use std::ops::Range;

/// The length in bytes to which words are truncated.
const MAX_WORD_BYTES: usize = 48;

/// The greatest length of a short word in characters; longer words are counted as long.
const MAX_SHORT_WORD_CHARACTERS: u64 = 6;

/// The words of a text in lower case and in order, stored in one buffer.
#[derive(Debug)]
pub(super) struct Tokens {
    /// All words, concatenated without separators.
    text: String,
    /// The byte range of each word in `text`.
    ranges: Vec<Range<usize>>,
    /// The number of characters of all words.
    characters: u64,
    /// The number of words of more than [`MAX_SHORT_WORD_CHARACTERS`] characters.
    long_words: u64,
}

impl Tokens {
    /// Splits a text into words. Words of more than [`MAX_WORD_BYTES`] bytes are truncated.
    pub(super) fn parse(text: &str) -> Self {
        // About six bytes for each word with its separator.
        let ranges = Vec::with_capacity(text.len() / 6 + 1);
        let mut tokens = Self { text: String::with_capacity(text.len()), ranges, characters: 0, long_words: 0 };
        let runs = text.split(|character: char| !character.is_alphanumeric());
        for run in runs.filter(|run| !run.is_empty()) {
            tokens.add(&run[..run.floor_char_boundary(MAX_WORD_BYTES)]);
        }
        tokens
    }

    /// Returns the number of words.
    pub(super) const fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns the total number of characters of all words.
    pub(super) const fn characters(&self) -> u64 {
        self.characters
    }

    /// Returns the number of words of more than [`MAX_SHORT_WORD_CHARACTERS`] characters.
    pub(super) const fn long_words(&self) -> u64 {
        self.long_words
    }

    /// Returns the word at `index`; `None` beyond the last.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        self.text.get(self.ranges.get(index)?.clone())
    }

    /// Returns all words in order, duplicates included.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().filter_map(|range| self.text.get(range.clone()))
    }

    /// Appends a word, which is converted to lower case, and adds its length to the character counts.
    fn add(&mut self, word: &str) {
        let start = self.text.len();
        if word.is_ascii() {
            self.text.push_str(word);
            self.text[start..].make_ascii_lowercase();
        } else if word.contains('\u{3a3}') {
            // Σ is the only letter whose lower case depends on its position in the word.
            self.text.push_str(&word.to_lowercase());
        } else {
            self.text.extend(word.chars().flat_map(char::to_lowercase));
        }
        let range = start..self.text.len();
        let characters = if word.is_ascii() { word.len() } else { self.text[range.clone()].chars().count() } as u64;
        self.characters += characters;
        self.long_words += u64::from(MAX_SHORT_WORD_CHARACTERS < characters);
        self.ranges.push(range);
    }
}
