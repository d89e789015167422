//! The words of a text: runs of letters and digits, in lower case.

use std::ops::Range;

/// The number of bytes to which words are truncated.
const MAX_WORD_BYTES: usize = 48;

/// Words of more characters are long.
const LONG_WORD: u64 = 6;

/// The words of a text, in order and in one buffer.
#[derive(Debug)]
pub(super) struct Tokens {
    text: String,
    ranges: Vec<Range<usize>>,
    characters: u64,
    long_words: u64,
}

impl Tokens {
    pub(super) fn of(text: &str) -> Self {
        // About six bytes for each word with its separator.
        let ranges = Vec::with_capacity(text.len() / 6 + 1);
        let mut tokens = Self { text: String::with_capacity(text.len()), ranges, characters: 0, long_words: 0 };
        let runs = text.split(|character: char| !character.is_alphanumeric());
        for run in runs.filter(|run| !run.is_empty()) {
            tokens.add(&run[..run.floor_char_boundary(MAX_WORD_BYTES)]);
        }
        tokens
    }

    /// The number of words.
    pub(super) const fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The number of characters of all words.
    pub(super) const fn characters(&self) -> u64 {
        self.characters
    }

    /// The number of words of more than [`LONG_WORD`] characters.
    pub(super) const fn long_words(&self) -> u64 {
        self.long_words
    }

    /// The word at `index`.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        self.text.get(self.ranges.get(index)?.clone())
    }

    /// All words.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().filter_map(|range| self.text.get(range.clone()))
    }

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
        self.long_words += u64::from(LONG_WORD < characters);
        self.ranges.push(range);
    }
}
