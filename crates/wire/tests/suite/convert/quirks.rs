//! Random choices among the forms in which providers send the same content, and random chunks of a stream.

use proptest::prelude::*;

/// A source of random choices for writing a stream. It repeats its choices in a modified form when they are used up.
#[derive(Debug, Clone)]
pub(crate) struct Quirks {
    /// Random bytes, one for each choice.
    choices: Vec<u8>,
    /// The number of choices so far.
    used: usize,
}

/// Generates a random source of choices.
pub(crate) fn quirks() -> impl Strategy<Value = Quirks> {
    prop::collection::vec(any::<u8>(), 1..40).prop_map(|choices| Quirks { choices, used: 0 })
}

impl Quirks {
    /// Returns the next choice, a number less than `most`.
    pub(crate) fn choose(&mut self, most: usize) -> usize {
        let choice = self.choices[self.used % self.choices.len()];
        self.used += 1;
        (usize::from(choice) + self.used / self.choices.len()) % most
    }

    /// Returns the next choice as a boolean.
    pub(crate) fn maybe(&mut self) -> bool {
        self.choose(2) == 1
    }

    /// Splits a text at random; some of the parts may be empty.
    pub(crate) fn pieces(&mut self, text: &str) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for letter in text.chars() {
            if self.choose(4) == 0 {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(letter);
        }
        pieces
    }
}

/// Random positions at which a stream is split.
pub(crate) fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..12)
}

/// Splits bytes at these positions.
pub(crate) fn chunks<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}
