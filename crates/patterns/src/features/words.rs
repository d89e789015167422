//! The words of a text: runs of letters and digits, in lower case.

use std::ops::Range;

/// Words of so many bytes are cut.
const LONGEST_WORD: usize = 48;

/// Words of more letters are long.
const LONG: u64 = 6;

/// The words of a text, in order, all in one buffer.
#[derive(Debug)]
pub(super) struct Words {
    text: String,
    places: Vec<Range<usize>>,
    /// Characters of all words.
    letters: u64,
    /// Words of more than [`LONG`] letters.
    long: u64,
}

impl Words {
    pub(super) fn of(text: &str) -> Self {
        // Six bytes or so for each word with what stands after it.
        let places = Vec::with_capacity(text.len() / 6 + 1);
        let mut words = Self { text: String::with_capacity(text.len()), places, letters: 0, long: 0 };
        let runs = text.split(|character: char| !character.is_alphanumeric());
        for run in runs.filter(|run| !run.is_empty()) {
            words.add(&run[..run.floor_char_boundary(LONGEST_WORD)]);
        }
        words
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.places.len()
    }

    /// Characters of all of them.
    pub(super) const fn letters(&self) -> u64 {
        self.letters
    }

    /// How many are long.
    pub(super) const fn long(&self) -> u64 {
        self.long
    }

    /// A word, if there are so many.
    pub(super) fn get(&self, place: usize) -> Option<&str> {
        self.text.get(self.places.get(place)?.clone())
    }

    /// All words.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter_map(|place| self.text.get(place.clone()))
    }

    fn add(&mut self, word: &str) {
        let start = self.text.len();
        if word.is_ascii() {
            self.text.push_str(word);
            self.text[start..].make_ascii_lowercase();
        } else if word.contains('\u{3a3}') {
            // The only letter whose lower case depends on where in the word it stands.
            self.text.push_str(&word.to_lowercase());
        } else {
            self.text.extend(word.chars().flat_map(char::to_lowercase));
        }
        let place = start..self.text.len();
        let letters = if word.is_ascii() { word.len() } else { self.text[place.clone()].chars().count() } as u64;
        self.letters += letters;
        self.long += u64::from(LONG < letters);
        self.places.push(place);
    }
}
